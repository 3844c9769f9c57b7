#include "sotto/models/pop/pop_request.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "sotto/data/streams/example_reader.h"
#include "sotto/data/streams/feature_needs.h"
#include "sotto/data/streams/stream_format.h"

namespace sotto {
namespace {

constexpr std::string_view kLearning = "Learning";
constexpr std::string_view kPlanning = "Planning";
constexpr std::string_view kPaper = "With --variant paper";
constexpr std::string_view kByHand = "By hand (left out: planned)";
constexpr double kMostReports = 0x1p32;

OptionTable LearningOptions() {
  return {
      LearnerOption(),
      {.name = "variant",
       .fallback = "practical",
       .help = "practical; majority: the paper's vote with our Stopper and "
               "phases; paper: Algorithm 7 as printed.",
       .words = {"practical", "majority", "paper"},
       .group = kLearning},
      {.name = "handover",
       .alias = "hand-over",
       .fallback = "standby",
       .help = "End of a phase: standby (a silent second ensemble takes over), "
               "restart or halt.",
       .words = {"standby", "restart", "halt"},
       .group = kLearning},
      {.name = "pin-users",
       .type = OptionType::kFlag,
       .help = "a user's rounds all teach one copy, in one phase (less noise "
               "where users come often); needs --handover restart or halt",
       .group = kLearning},
      {.name = "agnostic",
       .type = OptionType::kWhole,
       .fallback = "0",
       .help = "Restart with fresh copies after about N unplanned mistakes, "
               "counted privately (with --variant paper N of all mistakes; "
               "its printed constants have their own). 0 disables this.",
       .high = kMostReports,
       .group = kLearning},
      ThreadsOption()};
}

OptionTable PlanningOptions() {
  return {
      {.name = "objective",
       .alias = "optimise",
       .fallback = "expected",
       .help = "Plan for expected mistakes or for the proved bound.",
       .words = {"expected", "bound"},
       .group = kPlanning},
      {.name = "drift",
       .type = OptionType::kWhole,
       .fallback = "0",
       .help = "Public estimate of the rounds between changes of the target; "
               "0: none.",
       .high = 1e18,
       .group = kPlanning},
      ComplexityOption(
          "how many examples a copy needs for what a threshold learns from "
          "one; left out: guessed from the learner"),
      {.name = "mistake-bound",
       .type = OptionType::kReal,
       .help =
           "Maximum mistakes of one copy. Default: the learner's proved bound.",
       .high = 1e12,
       .group = kPlanning}};
}

OptionTable PaperOptions() {
  return {{.name = "constants",
           .fallback = "least",
           .help = "The smallest numbers that keep the guarantee, or the "
                   "printed ones.",
           .words = {"least", "printed"},
           .group = kPaper},
          {.name = "constant",
           .type = OptionType::kReal,
           .fallback = "1",
           .help = "With --constants printed: factor of the noise, which the "
                   "paper leaves open.",
           .low = 1e-3,
           .high = 1e3,
           .group = kPaper},
          {.name = "counter",
           .fallback = "binary",
           .help = "Tree of the counter that halts it: binary, or the best.",
           .words = {"binary", "best"},
           .group = kPaper}};
}

OptionTable HandOptions() {
  return {{.name = "copies",
           .type = OptionType::kWhole,
           .help = "Number of copies that vote.",
           .low = 1,
           .high = 0x1p31 - 1,
           .group = kByHand},
          {.name = "noise-scale",
           .type = OptionType::kReal,
           .help = "Scale of the noise on votes. Default: the smallest that "
                   "keeps the guarantee.",
           .above = true,
           .group = kByHand},
          {.name = "gap",
           .type = OptionType::kWhole,
           .help = "Vote counts in the paid band.",
           .high = 0x1p40,
           .group = kByHand},
          {.name = "reports",
           .type = OptionType::kWhole,
           .help = "Paid rounds per phase.",
           .low = 1,
           .high = kMostReports,
           .group = kByHand},
          {.name = "stopper",
           .type = OptionType::kReal,
           .help = "Epsilon of the Stopper, which counts paid rounds.",
           .high = 16,
           .above = true,
           .group = kByHand},
          {.name = "active-share",
           .type = OptionType::kReal,
           .help = "Fraction of examples that teach the answering copies; the "
                   "rest teach the standby.",
           .high = 1,
           .group = kByHand}};
}

PhaseEnd ParsePhaseEnd(const std::string& word) {
  if (word == "halt") return PhaseEnd::kHalt;
  return word == "restart" ? PhaseEnd::kRestart : PhaseEnd::kStandby;
}

std::optional<std::int64_t> Signed(const std::optional<std::uint64_t>& number) {
  if (!number) return std::nullopt;
  return static_cast<std::int64_t>(*number);
}

PopOverrides ReadOverrides(const Settings& settings) {
  return {.copies = Signed(settings.GetOptionalInt("copies")),
          .noise_scale = settings.GetOptionalDouble("noise-scale"),
          .gap = Signed(settings.GetOptionalInt("gap")),
          .reports = Signed(settings.GetOptionalInt("reports")),
          .stopper = settings.GetOptionalDouble("stopper"),
          .active_share = settings.GetOptionalDouble("active-share")};
}

// A guess, for expectations only: privacy and the proved bound do not use it.
double GuessComplexity(const LearnerSpec& spec, const LearnerFacts& facts) {
  if (facts.complexity) return *facts.complexity;
  if (facts.needs_features && spec.features > 0) return spec.features;
  return 1;
}

// True if an option was set to another value than its default: Python restores
// a state with all values, defaults too.
bool Changed(const Settings& settings, std::string_view name) {
  if (!settings.SetByUser(name)) return false;
  const Json now = settings.ToSavedJson();
  const Json untouched = Settings(settings.table()).ToSavedJson();
  const Json* const value = now.Find(name);
  return value == nullptr || value->Dump() != untouched.Find(name)->Dump();
}

Status CheckConstants(const Settings& settings) {
  for (const char* name : {"constants", "constant", "counter"}) {
    if (!IsPaperPop(settings) && Changed(settings, name)) {
      return InvalidArgument("--" + std::string(name) +
                             " is for --variant paper");
    }
  }
  if (settings.Text("constants") == "least" && Changed(settings, "constant")) {
    return InvalidArgument("--constant is for --constants printed");
  }
  return Ok();
}

// Algorithm 7 has one phase, no standby, no Stopper and no band.
Status CheckPaperPop(const Settings& settings) {
  for (const char* name : {"handover", "pin-users", "objective", "gap",
                           "stopper", "active-share"}) {
    if (Changed(settings, name)) {
      return InvalidArgument("--" + std::string(name) +
                             " means nothing to Algorithm 7 as printed: say "
                             "--variant practical or majority");
    }
  }
  if (settings.Text("variant") == "majority") {
    return InvalidArgument(
        "--calibration paper is Algorithm 7 as printed: say --variant paper, "
        "or leave out --calibration");
  }
  if (settings.GetInt("horizon") == 0) {
    return InvalidArgument(
        "--variant paper needs --horizon T: its counter is made for T rounds, "
        "and it halts with the last");
  }
  return Ok();
}

// With nothing known of the stream's length, expectations are for this many
// rounds; privacy depends on no length.
constexpr std::uint64_t kNominalRounds = 1'000'000;

PopBehaviour ReadBehaviour(const Settings& settings, const LearnerSpec& spec,
                           const LearnerFacts& facts) {
  const std::uint64_t horizon = settings.GetInt("horizon");
  return {.rounds = horizon > 0 ? horizon : kNominalRounds,
          .complexity = settings.GetOptionalDouble("complexity")
                            .value_or(GuessComplexity(spec, facts)),
          .drift = settings.GetInt("drift"),
          .label_delay = settings.GetInt("label-delay"),
          .label_rate = settings.GetDouble("label-rate"),
          .noise = settings.GetOptionalDouble("label-noise").value_or(0)};
}

std::optional<double> MistakeBound(const Settings& settings,
                                   const LearnerFacts& facts) {
  const auto stated = settings.GetOptionalDouble("mistake-bound");
  return stated ? stated : facts.mistake_bound;
}

std::string_view SuitedTo(const InputSpec* inputs) {
  const bool table = inputs != nullptr && inputs->features > 1 &&
                     (inputs->schema != nullptr || !inputs->names.empty());
  return table ? "logistic" : "threshold";
}

}  // namespace

Option LearnerOption() {
  static const std::string kLearners =
      std::string(LearnerHelp()) +
      "; auto: logistic for a table of several columns, else threshold";
  return {.name = "learner",
          .fallback = kPopAnyLearner,
          .help = kLearners,
          .group = kLearning};
}

Option ThreadsOption() {
  return {.name = "threads",
          .type = OptionType::kWhole,
          .fallback = "1",
          .help = "Number of threads, for ensembles that support it.",
          .low = 1,
          .high = 256,
          .group = kLearning,
          .kept = false};
}

Option ComplexityOption(std::string_view help) {
  return {.name = "complexity",
          .type = OptionType::kReal,
          .help = help,
          .high = 1e12,
          .above = true,
          .group = kPlanning};
}

const OptionTable& PopOptions() {
  static const OptionTable kTable = ConcatOptions(
      {LearningOptions(), PlanningOptions(), PaperOptions(), HandOptions()});
  return kTable;
}

bool IsPaperPop(const Settings& settings) {
  return settings.Text("variant") == "paper" ||
         settings.Text("calibration") == "paper";
}

Status CheckPop(const Settings& settings) {
  if (settings.GetDouble("delta") == 0) {
    return InvalidArgument(
        "pop needs --delta greater than 0 (try 1e-6). For delta 0 use leader");
  }
  SOTTO_TRY(CheckConstants(settings));
  if (IsPaperPop(settings)) return CheckPaperPop(settings);
  const PopOverrides hand = ReadOverrides(settings);
  const bool all = hand.copies && hand.gap && hand.reports && hand.stopper;
  if (settings.GetInt("horizon") == 0 && !all) {
    return InvalidArgument(
        "--horizon T is needed for planning: about how many rounds there will "
        "be (or give --copies, --gap, --reports and --stopper by hand)");
  }
  if (settings.Flag("pin-users") && settings.Text("handover") == "standby") {
    return InvalidArgument(
        "--pin-users keeps all of a user's rounds in one phase, and a standby "
        "learns for the next one: say --handover restart, or halt");
  }
  return Ok();
}

Result<LearnerSpec> PopLearner(std::string_view text, const InputSpec* inputs) {
  if (IsPopHost(text)) {
    LearnerSpec host;
    host.name = std::string(text);
    return host;
  }
  auto spec =
      LearnerSpec::Parse(text == kPopAnyLearner ? SuitedTo(inputs) : text);
  if (!spec) return InvalidArgument("--learner " + spec.error().message);
  const LearnerFacts facts = ExtractFacts(*spec);
  if (inputs == nullptr) return spec;
  if (facts.one_number && inputs->schema == nullptr && inputs->dense == 0) {
    return InvalidArgument(
        spec->name +
        " looks at one number, feature 0, and the names of this stream are "
        "hashed: give the stream as csv, libsvm or jsonl");
  }
  if (!facts.needs_features) return spec;
  if (spec->features != 0 && spec->features != inputs->features) {
    return InvalidArgument(
        "the learner is told of " + std::to_string(spec->features) +
        " features, the stream has " + std::to_string(inputs->features));
  }
  spec->features = inputs->features;
  return spec;
}

Status CheckColumns(const Settings& settings, const LearnerSpec& spec,
                    const InputSpec* inputs) {
  const bool ignores = inputs != nullptr && ExtractFacts(spec).one_number &&
                       inputs->features > 1;
  if (!ignores || settings.Flag("force")) return Ok();
  const std::string first =
      inputs->names.empty() ? "the first" : inputs->names.front();
  return InvalidArgument(
      "the learner " + spec.name + " looks at one number, " + first +
      ", and would ignore the other " + std::to_string(inputs->features - 1) +
      " features of the stream: expected a stream with one, or a learner of "
      "all (stump, logistic), or --force");
}

Result<LearnerSpec> LearnerForPlan(const Settings& settings,
                                   const InputSpec* inputs) {
  SOTTO_TRY_ASSIGN(auto spec, PopLearner(settings.Text("learner"), inputs));
  SOTTO_TRY(CheckColumns(settings, spec, inputs));
  if (ExtractFacts(spec).needs_features && spec.features == 0) {
    return InvalidArgument(
        "how many features there are must be known: --learner " + spec.name +
        ":features=N");
  }
  return spec;
}

Result<std::unique_ptr<NonPrivateLearner>> MakeNonPrivate(
    const ModelRequest& request) {
  SOTTO_TRY_ASSIGN(const auto spec, PopLearner(request.settings.Text("learner"),
                                               &request.inputs));
  SOTTO_TRY_ASSIGN(auto learner, MakeLearner(spec));
  return NonPrivateOver(std::move(learner));
}

Status PrepareForLearner(const Settings& settings, ReaderParams& request) {
  const std::string& learner = settings.Text("learner");
  SOTTO_TRY_ASSIGN(const auto spec, PopLearner(learner, nullptr));
  const LearnerFacts facts = ExtractFacts(spec);
  const auto format =
      request.format ? request.format : FormatOfPath(request.path);
  FeatureNeeds needs{.each_costs = facts.needs_features,
                     .features = spec.features};
  const bool table = request.encoding.schema || format == StreamFormat::kCsv;
  if (learner == kPopAnyLearner && table) needs.each_costs = true;
  // It is shown every feature by name.
  if (IsPopHost(learner)) needs.each_costs = true;
  // A second number would not be looked at. The columns of a csv file are
  // counted when it is opened; names of vw are refused as such.
  if (facts.one_number && !settings.Flag("force") &&
      format != StreamFormat::kVw) {
    needs.features = 1;
  }
  FillEncoding(needs, settings, request);
  // A word would become a bucket, and feature 0 of it a zero.
  request.encoding.numbers_only = facts.one_number;
  // Points are numbered, not measured.
  request.limits.points = facts.points;
  request.encoding.raw_numbers = facts.points.has_value();
  return Ok();
}

PaperPopRequest MakePaperPopRequest(const Settings& settings,
                                    const LearnerSpec& spec,
                                    const ApproximateDp& share) {
  const LearnerFacts facts = ExtractFacts(spec);
  const PopOverrides hand = ReadOverrides(settings);
  return {.epsilon = share.epsilon,
          .delta = share.delta,
          .rounds_per_user = settings.GetInt("rounds-per-user"),
          .printed = settings.Text("constants") == "printed",
          .constant = settings.GetDouble("constant"),
          .best_counter = settings.Text("counter") == "best",
          .agnostic = settings.GetInt("agnostic"),
          .behaviour = ReadBehaviour(settings, spec, facts),
          .mistake_bound = MistakeBound(settings, facts),
          .copies = hand.copies,
          .reports = hand.reports,
          .noise_scale = hand.noise_scale};
}

PopPlanRequest MakePopRequest(const Settings& settings, const LearnerSpec& spec,
                              const ApproximateDp& share) {
  const LearnerFacts facts = ExtractFacts(spec);
  PopPlanRequest request{
      .epsilon = share.epsilon,
      .delta = share.delta,
      .rounds_per_user = settings.GetInt("rounds-per-user"),
      .pin_users = settings.Flag("pin-users"),
      .variant = settings.Text("variant") == "majority" ? PopVariant::kMajority
                                                        : PopVariant::kBand,
      .handover = ParsePhaseEnd(settings.Text("handover")),
      .mistakes_per_phase =
          static_cast<std::int64_t>(settings.GetInt("agnostic")),
      .goal = settings.Text("objective") == "bound" ? PopGoal::kBound
                                                    : PopGoal::kExpected,
      .steady = !facts.fast,
      .by_hand = ReadOverrides(settings)};
  request.behaviour = ReadBehaviour(settings, spec, facts);
  request.mistake_bound = MistakeBound(settings, facts);
  return request;
}

Result<Guarantee> PopPromise(const Settings& settings,
                             const Guarantee& guarantee) {
  Guarantee::Params params = guarantee.params();
  SOTTO_TRY_ASSIGN(const auto relation,
                   ParseRelation(settings.Text("relation")));
  params.relation = relation;
  return Guarantee::Create(std::move(params));
}

}  // namespace sotto
