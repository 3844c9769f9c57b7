#include "sotto/service/slot_plan.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "sotto/accounting/rounding.h"
#include "sotto/base/number_text.h"
#include "sotto/report/figures.h"
#include "sotto/service/model_configuration.h"
#include "sotto/service/promise.h"
#include "sotto/service/slot_cost.h"

namespace sotto {
namespace {

constexpr double kSecondsOfDay = 86'400;
constexpr double kDaysOfYear = 365.25;

// Options that are lengths in rounds of a batch: as many people are to come in
// one as in full groups.
struct Length {
  const char* option;
  const char* parameter;
};
std::vector<Length> Lengths(std::string_view model) {
  if (model == "tide")
    return {{"batch", "batch"}, {"start-rows", "start_rows"}};
  return {{"first-epoch", "first_epoch"}};
}

Json LongerBatches(std::string_view model, const Settings& settings,
                   const Plan& plan, double share) {
  Json options = Json::Object{};
  for (const Length& length : Lengths(model)) {
    const Json* const planned = plan.parameters.Find(length.parameter);
    const auto rounds = planned == nullptr ? std::nullopt : planned->number();
    if (!rounds || settings.SetByUser(length.option)) continue;
    options[length.option] =
        static_cast<std::uint64_t>(std::ceil(*rounds / share));
  }
  return options;
}

std::string Flags(const Json& options) {
  std::string text;
  for (const auto& [name, value] : *options.object()) {
    text += (text.empty() ? "--" : " --") + name + " " + value.Dump();
  }
  return text;
}

// The smallest group with less than one full group a year.
std::uint64_t PlacesForAYear(double mean, double seconds) {
  const double groups = kDaysOfYear * kSecondsOfDay / seconds;
  std::uint64_t low = 0;
  std::uint64_t high = SlotClock::kMostRounds;
  while (high - low > 1) {
    const std::uint64_t middle = (low + high) / 2;
    const bool enough = groups * FullGroupProbability(mean, middle) < 1;
    (enough ? high : low) = middle;
  }
  return high;
}

// The part that rests on how many come.
void AddRate(const OnlineModelEntry& entry, const Settings& settings,
             const SlotRequest& request, Plan& plan, Json& json) {
  const SlotClock& clock = request.clock;
  const double mean = *request.rate * clock.seconds;
  const double share = std::min(1.0, mean / static_cast<double>(clock.rounds));
  const double full = FullGroupProbability(mean, clock.rounds);
  const double a_day = full * kSecondsOfDay / clock.seconds;
  const std::uint64_t enough = PlacesForAYear(mean, clock.seconds);
  const Json longer = LongerBatches(entry.name, settings, plan, share);
  json["share_expected"] = share;
  json["full_groups_a_day"] = a_day;
  json["places_for_a_year"] = enough;
  json["options"] = longer;
  plan.table +=
      PlanLine("places taken", Percent(share) + " expected, " + Short(mean) +
                                   " of " + WithCommas(clock.rounds)) +
      PlanLine("full groups",
               Short(a_day) +
                   " a day, if requests come independently of each "
                   "other. Crowds fill more of them") +
      PlanLine("enough places",
               WithCommas(enough) +
                   ": less than one full group a year, if they do") +
      PlanLine("empty places", OccupancyCost(entry.name, share));
  if (!longer.object()->empty() && share < 1) {
    plan.table += PlanLine("use", Flags(longer));
  }
}

}  // namespace

Status AddSlots(const OnlineModelEntry& entry, const Settings& settings,
                const SlotRequest& request, Plan& plan) {
  SOTTO_TRY(CheckCoversAbsence(entry));
  const SlotClock& clock = request.clock;
  plan.guarantee = CoverAbsence(plan.guarantee);
  const ApproximateDp other = AnotherTime(plan.guarantee);
  const double a_second = static_cast<double>(clock.rounds) / clock.seconds;
  Json json = Json::Object{
      {"kind", "slots"},
      {"rounds", clock.rounds},
      {"seconds", clock.seconds},
      {"hides", HiddenBySlots()},
      {"delay_mean", clock.seconds / 2},
      {"delay_most", clock.seconds},
      {"another_time",
       Json::Object{{"epsilon", other.epsilon}, {"delta", other.delta}}}};
  plan.table +=
      PlanLine("clock", "groups of " + WithCommas(clock.rounds) + " places, " +
                            Short(a_second) + " a second") +
      PlanLine("hidden", HiddenBySlots()) +
      PlanLine("at another time", "epsilon " + TextUp(other.epsilon) +
                                      ", delta " + TextUp(other.delta)) +
      PlanLine("delay", "until the group ends: " + Short(clock.seconds / 2) +
                            " s on average, at most " + Short(clock.seconds) +
                            " s, and the time to write it");
  if (request.columns) {
    const double bytes =
        static_cast<double>(GroupBytes(clock.rounds, *request.columns)) *
        kSecondsOfDay / clock.seconds;
    json["bytes_a_day"] = bytes;
    plan.table += PlanLine(
        "journal", "about " + Short(bytes / 1e6) + " MB a day, whoever comes");
  }
  if (plan.horizon > 0 || settings.Has("horizon")) {
    const double rounds = plan.horizon > 0
                              ? plan.horizon
                              : static_cast<double>(settings.GetInt("horizon"));
    json["hours"] = rounds / a_second / 3600;
    plan.table +=
        PlanLine("--horizon", "counts places, taken or not: these " +
                                  WholeWithCommas(rounds) + " last " +
                                  Short(rounds / a_second / 3600) + " hours");
  }
  if (request.rate) {
    AddRate(entry, settings, request, plan, json);
  } else {
    plan.advice.push_back(
        "--requests-per-second, as far as is publicly known, would say how "
        "often groups are full and what empty places cost");
  }
  plan.caveats.push_back(
      "Verdict and forecast are for full groups: empty places bring no rows.");
  plan.more["clock"] = std::move(json);
  return Ok();
}

}  // namespace sotto
