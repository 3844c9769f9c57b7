#include "sotto/service/promise.h"

#include <cmath>
#include <string>
#include <utility>

#include "sotto/accounting/rounding.h"
#include "sotto/report/figures.h"
#include "sotto/report/promise_text.h"
#include "sotto/report/spend_report.h"
#include "sotto/service/slot_cost.h"

namespace sotto {
namespace {

Json DescribeParts(const Guarantee& guarantee) {
  Json parts = Json::Array{};
  for (const SpendLine& line : SpendTable(guarantee)) {
    parts.Add(Json::Object{{"depth", line.depth},
                           {"name", line.name},
                           {"how", line.how},
                           {"epsilon", line.epsilon},
                           {"delta", line.delta},
                           {"noise", line.noise}});
  }
  return parts;
}

// The part that nearly all of a sum goes to, or the sum itself.
const Spend& MainPart(const Spend& spend) {
  constexpr double kNearlyAll = 0.99;
  if (spend.rule != Spend::Rule::kSum) return spend;
  const ApproximateDp total = Total(spend);
  for (const Spend& part : spend.parts) {
    const ApproximateDp own = Total(part);
    if (own.epsilon >= kNearlyAll * total.epsilon &&
        own.delta >= kNearlyAll * total.delta) {
      return MainPart(part);
    }
  }
  return spend;
}

std::string_view RuleName(const Guarantee& guarantee) {
  switch (MainPart(guarantee.spend()).rule) {
    case Spend::Rule::kMax:
      return "max";
    case Spend::Rule::kSum:
      return "sum";
    case Spend::Rule::kJoint:
      return "joint";
    case Spend::Rule::kAlone:
      break;
  }
  return "alone";
}

}  // namespace

Json DescribePromise(const Guarantee& guarantee, std::string_view publishes,
                     bool slots) {
  Json seen = Json::Array{};
  if (!publishes.empty()) seen.Add(publishes);
  seen.Add(slots ? "when groups end, when the service is down, and who is "
                   "turned away from a full group"
                 : PublicAboutRounds());
  return Json::Object{{"sentence", PromiseSentence(guarantee)},
                      {"suspicion", WorstSuspicion(guarantee.epsilon())},
                      {"epsilon", TextUp(guarantee.epsilon())},
                      {"delta", TextUp(guarantee.delta())},
                      {"limit", RoundsPerUser(guarantee)},
                      {"from_whom", FromWhom(guarantee)},
                      {"full", guarantee.Describe()},
                      {"public", std::move(seen)},
                      {"protected", Json::Array{guarantee.protects()}},
                      {"parts", DescribeParts(guarantee)},
                      {"total_rule", RuleName(guarantee)}};
}

Guarantee CoverAbsence(const Guarantee& guarantee) {
  Guarantee::Params params = guarantee.params();
  params.protects += ", and whether a user came at all";
  const auto covered = Guarantee::Create(std::move(params));
  return covered ? *covered : guarantee;
}

std::string_view HiddenBySlots() {
  return "whether a user came at all, from all others and from who reads the "
         "disk without the key; not from who watches connections, not from "
         "the operator, and not in a full group";
}

ApproximateDp AnotherTime(const Guarantee& guarantee) {
  const double factor =
      UpAdd(1, InflateUp(std::exp(guarantee.epsilon()), 1e-14));
  return {2 * guarantee.epsilon(), UpMul(factor, guarantee.delta())};
}

namespace {

// The operator's: it holds how many came.
std::string CostText(std::string_view model, const SlotClock& clock,
                     const SlotTally& tally) {
  std::string text = "Answers wait for the end of a group, " +
                     Short(clock.seconds / 2) + " s on average and at most " +
                     Short(clock.seconds) + " s.";
  if (tally.groups() == 0) return text;
  const double share =
      Ratio(static_cast<double>(tally.taken()),
            static_cast<double>(tally.groups() * clock.rounds));
  return text + " " + Percent(share) + " of the places were taken. Cost of " +
         "empty ones: " + OccupancyCost(model, share) + ".";
}

}  // namespace

Json DescribeSlots(std::string_view model, const SlotClock& clock,
                   const SlotTally& tally, const Guarantee& guarantee) {
  const ApproximateDp other = AnotherTime(guarantee);
  std::string text = "Groups of " + std::to_string(clock.rounds) +
                     " places. Nobody can tell from what is released whether "
                     "somebody came";
  text += tally.full() == 0
              ? "."
              : ", but for full groups: " + std::to_string(tally.full()) +
                    " of " + std::to_string(tally.groups()) + ".";
  return Json::Object{{"kind", "slots"},
                      {"rounds", clock.rounds},
                      {"seconds", clock.seconds},
                      {"groups", tally.groups()},
                      {"full_groups", tally.full()},
                      {"taken", tally.taken()},
                      {"last_taken", tally.last()},
                      {"another_time", Json::Object{{"epsilon", other.epsilon},
                                                    {"delta", other.delta}}},
                      {"text", text},
                      {"buys", "Hidden: " + std::string(HiddenBySlots()) + "."},
                      {"costs", CostText(model, clock, tally)}};
}

}  // namespace sotto
