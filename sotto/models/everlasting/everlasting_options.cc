#include "sotto/models/everlasting/everlasting_options.h"

#include <string>
#include <string_view>

#include "sotto/models/pop/pop_request.h"

namespace sotto {
namespace {

constexpr std::string_view kLearning = "Learning";
constexpr std::string_view kPlanning = "Planning";
constexpr std::string_view kByHand = "By hand (left out: planned)";

OptionTable LearningOptions() {
  return {LearnerOption(),
          {.name = "honest-fraction",
           .type = OptionType::kReal,
           .fallback = "1",
           .help = "Fraction of queries that resemble the training rows; the "
                   "others may be adversarial.",
           .high = 1,
           .above = true,
           .group = kLearning},
          {.name = "delta-schedule",
           .fallback = "everlasting",
           .help = "everlasting: deltas of all rounds sum to --delta; "
                   "constant: each round has --delta.",
           .words = {"everlasting", "constant"},
           .group = kLearning},
          {.name = "constants",
           .fallback = "least",
           .help = "With --calibration paper: the smallest numbers that keep "
                   "the guarantee, or the printed ones, hidden constants 1.",
           .words = {"least", "printed"},
           .group = kLearning},
          ThreadsOption()};
}

OptionTable PlanningOptions() {
  return {{.name = "training-rows",
           .type = OptionType::kWhole,
           .help = "Public estimate of the number of training rows. Tunes "
                   "accuracy. Default: what --error needs.",
           .high = 0x1p40,
           .group = kPlanning},
          {.name = "error",
           .type = OptionType::kReal,
           .fallback = "0.05",
           .help = "Approximate error rate of one teacher.",
           .high = 0.5,
           .above = true,
           .group = kPlanning},
          ComplexityOption(
              "how many examples a teacher needs for what a threshold learns "
              "from one; left out: guessed from the learner")};
}

OptionTable HandOptions() {
  return {{.name = "teachers",
           .type = OptionType::kWhole,
           .help = "Number of teachers that vote.",
           .low = 1,
           .high = 0x1p30,
           .group = kByHand},
          {.name = "band",
           .type = OptionType::kReal,
           .help = "Width of the band of paid votes, in noise scales.",
           .high = 64,
           .above = true,
           .group = kByHand},
          {.name = "reports",
           .type = OptionType::kWhole,
           .help = "Paid rounds per phase.",
           .low = 1,
           .high = 0x1p32,
           .group = kByHand},
          {.name = "phase-rounds",
           .type = OptionType::kWhole,
           .help = "Rounds per phase.",
           .low = 1,
           .high = 0x1p40,
           .group = kByHand},
          {.name = "growth",
           .type = OptionType::kReal,
           .fallback = "1",
           .help = "Ratio of the teachers' rows from one phase to the next.",
           .low = 1,
           .high = 16,
           .group = kByHand},
          {.name = "stopper",
           .type = OptionType::kReal,
           .help = "Epsilon of the Stopper, which counts paid rounds.",
           .high = 16,
           .above = true,
           .group = kByHand}};
}

Error ForOthers(std::string_view name, std::string_view why) {
  return InvalidArgument("--" + std::string(name) + " is for " +
                         std::string(why));
}

}  // namespace

const OptionTable& EverlastingOptions() {
  static const OptionTable kTable =
      ConcatOptions({LearningOptions(), PlanningOptions(), HandOptions()});
  return kTable;
}

Status CheckEverlasting(const Settings& settings) {
  if (settings.GetDouble("delta") == 0) {
    return InvalidArgument(
        "everlasting needs --delta greater than 0 (try 1e-5)");
  }
  if (settings.Text("calibration") != "paper") {
    // The default passes: Python restores a state with all values.
    if (settings.Text("constants") == "least") return Ok();
    return ForOthers("constants", "--calibration paper");
  }
  for (const char* name : {"band", "reports", "stopper"}) {
    if (!settings.SetByUser(name)) continue;
    return ForOthers(name,
                     "--calibration practical: with paper every round is paid "
                     "for");
  }
  if (settings.Text("constants") == "least") return Ok();
  for (const char* name : {"teachers", "phase-rounds"}) {
    if (settings.SetByUser(name)) return ForOthers(name, "--constants least");
  }
  return Ok();
}

Result<EverlastingRequest> MakeEverlastingRequest(const Settings& settings,
                                                  const LearnerSpec& spec,
                                                  const ApproximateDp& share) {
  SOTTO_TRY_ASSIGN(const auto relation,
                   ParseRelation(settings.Text("relation")));
  const bool constant = settings.Text("delta-schedule") == "constant";
  return EverlastingRequest{
      .epsilon = share.epsilon,
      .delta = share.delta,
      .relation = relation,
      .rounds_per_user = settings.GetInt("rounds-per-user"),
      .spread = constant ? DeltaSpread::kConstant : DeltaSpread::kEverlasting,
      .labelled = settings.GetOptionalInt("training-rows").value_or(0),
      .error = settings.GetDouble("error"),
      .honest = settings.GetDouble("honest-fraction"),
      .complexity = settings.GetOptionalDouble("complexity")
                        .value_or(ComputeComplexity(spec)),
      .growth = settings.GetDouble("growth"),
      .paid = settings.Text("calibration") == "paper",
      .printed = settings.Text("constants") == "printed",
      .gap = settings.GetOptionalDouble("band").value_or(0),
      .stopper = settings.GetOptionalDouble("stopper").value_or(0),
      .teachers = static_cast<std::int64_t>(
          settings.GetOptionalInt("teachers").value_or(0)),
      .reports = static_cast<std::int64_t>(
          settings.GetOptionalInt("reports").value_or(0)),
      .rounds = settings.GetOptionalInt("phase-rounds").value_or(0)};
}

}  // namespace sotto
