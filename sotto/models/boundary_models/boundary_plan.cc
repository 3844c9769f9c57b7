#include "sotto/models/boundary_models/boundary_plan.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sotto/base/number_text.h"
#include "sotto/online/verdict.h"

namespace sotto {
namespace {

constexpr std::string_view kGroup = "Learning";
// Fraction of wrong answers to honest queries above which the plan is hopeless.
constexpr double kHopeless = 0.2;

// The phase in which a round falls.
std::size_t FindPhase(const BoundaryPhases& phases, double round) {
  double end = 0;
  for (std::size_t p = 0; p < phases.phases.size(); ++p) {
    end += static_cast<double>(phases.phases[p].length);
    if (round <= end) return p;
  }
  return phases.phases.size() - 1;
}

// The share of wrong answers to honest queries, over all rounds up to there.
double ErrorUpTo(const BoundaryPhases& phases, double rounds, double rows) {
  double wrong = 0;
  double done = 0;
  for (std::size_t p = 0; p <= FindPhase(phases, rounds); ++p) {
    const double part =
        std::min(static_cast<double>(phases.phases[p].length), rounds - done);
    wrong += part * phases.ExpectedError(p, rows);
    done += part;
  }
  // After the last phase no user is answered.
  return (wrong + (rounds - done)) / rounds;
}

std::string Percent(double share) {
  const double tenths = std::round(1000 * share) / 10;
  return Shortest(tenths) + "%";
}

std::string MakeTable(const BoundaryPhases& phases, double rows) {
  std::string table;
  const std::size_t shown = std::min<std::size_t>(phases.phases.size(), 3);
  for (std::size_t p = 0; p < shown; ++p) {
    const BoundaryPhase& phase = phases.phases[p];
    std::string line =
        WithCommas(phase.length) + " rounds, sets of " +
        WithCommas(static_cast<std::uint64_t>(phase.initial.size)) +
        ", noise of scale " + WholeWithCommas(1 / phase.initial.rate);
    if (rows > 0) line += ", error " + Percent(phases.ExpectedError(p, rows));
    table += PlanLine("phase " + std::to_string(p + 1), line);
  }
  table +=
      PlanLine("phases", std::to_string(phases.phases.size()) + ", " +
                             WithCommas(phases.rounds()) + " rounds in all");
  return table;
}

}  // namespace

const OptionTable& BoundaryOptions() {
  static const OptionTable kTable = {
      {.name = "error",
       .type = OptionType::kReal,
       .fallback = "0.05",
       .help = "Acceptable error rate on honest queries; sets the phase length "
               "and the training rows needed.",
       .low = 1e-4,
       .high = 0.5,
       .group = kGroup,
       .common = true},
      {.name = "honest-fraction",
       .type = OptionType::kReal,
       .fallback = "0.5",
       .help = "Public lower bound on the fraction of honest queries; the "
               "others may be adversarial.",
       .low = 1e-3,
       .high = 1,
       .group = kGroup},
      {.name = "training-rows",
       .type = OptionType::kWhole,
       .help =
           "Public estimate of the number of training rows, for the verdict.",
       .low = 1,
       .high = 1e15,
       .group = kGroup}};
  return kTable;
}

Json BoundaryParameters(const BoundaryPhases& phases, Json own) {
  const BoundaryPhase& first = phases.phases.front();
  own["sides"] = std::uint64_t{phases.target.sides};
  own["error"] = phases.target.error;
  own["honest_fraction"] = phases.target.honest_fraction;
  own["phases"] = static_cast<std::uint64_t>(phases.phases.size());
  own["rounds"] = phases.rounds();
  own["first_phase"] = first.length;
  own["boundary_set"] = first.initial.size;
  own["noise_scale"] = 1 / first.initial.rate;
  own["recycled_set"] = first.recycled.size;
  own["recycled_noise_scale"] = 1 / first.recycled.rate;
  own["training_delta"] = phases.schedule.At(0);
  own["first_delta"] = phases.schedule.At(first.length);
  return own;
}

std::string BoundaryInWords(const BoundaryPhases& phases, bool paper) {
  const BoundaryPhase& first = phases.phases.front();
  return std::string(paper ? "slices of " : "boundary sets of ") +
         WithCommas(static_cast<std::uint64_t>(first.initial.size)) +
         ", a first phase of " + WithCommas(first.length) +
         " rounds, every next one " +
         (paper ? "about twice as long" : "a quarter longer");
}

std::vector<std::string> BoundaryCaveats(const BoundaryPhases& phases) {
  return {
      "Answers are for their own users; nothing of what is inside is "
      "published.",
      "It answers " + WithCommas(phases.rounds()) +
          " rounds and then halts: beyond them the noise samplers would cost "
          "more than delta(i) allows."};
}

OnlineModel::Forecast BoundaryForecast(const BoundaryPhases& phases,
                                       const Settings& settings, double extra) {
  const auto rounds = static_cast<double>(settings.GetInt("horizon"));
  const auto rows = static_cast<double>(settings.GetInt("training-rows"));
  if (rounds == 0 || rows == 0) return {};
  const double share = std::min(1.0, extra + ErrorUpTo(phases, rounds, rows));
  return {.expected = (share + settings.GetDouble("label-noise")) * rounds,
          .verdict = std::string(
              ToString(VerdictBelow(share, phases.target.error, kHopeless)))};
}

Plan BoundaryPlan(const BoundaryPhases& phases, const Guarantee& guarantee,
                  const Settings& settings, std::string in_words, Json own,
                  double extra, bool paper) {
  const auto rounds = static_cast<double>(
      std::max<std::uint64_t>(settings.GetInt("horizon"), 1));
  const auto rows = static_cast<double>(settings.GetInt("training-rows"));
  Plan plan{
      .model = std::move(in_words) + "; " + BoundaryInWords(phases, paper),
      .parameters = BoundaryParameters(phases, std::move(own)),
      .guarantee = guarantee,
      .presumes = ForecastAssumption::kRule,
      .samples_required = phases.RowsRequired(),
      .caveats = BoundaryCaveats(phases),
      .table = MakeTable(phases, rows)};
  if (rows > 0) {
    const double share = std::min(1.0, extra + ErrorUpTo(phases, rounds, rows));
    plan.mistakes_expected = BoundaryForecast(phases, settings, extra).expected;
    plan.verdict = VerdictBelow(share, phases.target.error, kHopeless);
    plan.more["worst_error"] =
        phases.WorstError(FindPhase(phases, rounds), rows);
  }
  plan.advice.push_back("about " + WholeWithCommas(phases.RowsRequired()) +
                        " training rows keep the error near --error " +
                        Shortest(phases.target.error));
  plan.advice.emplace_back(
      "where labels keep coming and a published rule will do, the private "
      "leader needs thousands of rows, not hundreds of thousands: sotto plan "
      "leader --learner stump (or interval, tree)");
  plan.caveats.emplace_back(
      "Errors are expected of honest questions that are drawn as the training "
      "rows were, if a rule of this kind is never wrong on them.");
  return plan;
}

}  // namespace sotto
