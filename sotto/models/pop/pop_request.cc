#include "sotto/models/pop/pop_request.h"

#include <optional>
#include <string>
#include <utility>

#include "sotto/data/streams/example_reader.h"
#include "sotto/data/streams/feature_needs.h"
#include "sotto/data/streams/stream_format.h"

namespace sotto {
namespace {

PhaseEnd ParsePhaseEnd(const std::string& word) {
  if (word == "halt") return PhaseEnd::kHalt;
  return word == "restart" ? PhaseEnd::kRestart : PhaseEnd::kStandby;
}

bool IsPaper(const Settings& settings) {
  return settings.Text("variant") == "paper" ||
         settings.Text("calibration") == "paper";
}

std::optional<std::int64_t> Signed(const std::optional<std::uint64_t>& number) {
  if (!number) return std::nullopt;
  return static_cast<std::int64_t>(*number);
}

PopOverrides ByHand(const Settings& settings) {
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

std::string_view SuitedTo(const InputSpec* inputs) {
  const bool table = inputs != nullptr && inputs->features > 1 &&
                     (inputs->schema != nullptr || !inputs->names.empty());
  return table ? "logistic" : "threshold";
}

}  // namespace

Status CheckPop(const Settings& settings) {
  if (settings.GetDouble("delta") == 0) {
    return InvalidArgument("--delta is needed, above 0: pop has no pure form");
  }
  const PopOverrides hand = ByHand(settings);
  const bool all = hand.copies && hand.gap && hand.reports && hand.stopper;
  if (settings.GetInt("horizon") == 0 && !all) {
    return InvalidArgument(
        "--horizon T is needed for planning: about how many rounds there will "
        "be (or give --copies, --gap, --reports and --stopper by hand)");
  }
  if (settings.Flag("pin-users") && settings.Text("hand-over") == "standby") {
    return InvalidArgument(
        "--pin-users keeps all of a user's rounds in one phase, and a standby "
        "learns for the next one: say --hand-over restart, or halt");
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
  if (!ignores || settings.Flag("anyway")) return Ok();
  const std::string first =
      inputs->names.empty() ? "the first" : inputs->names.front();
  return InvalidArgument(
      "the learner " + spec.name + " looks at one number, " + first +
      ", and would ignore the other " + std::to_string(inputs->features - 1) +
      " features of the stream: expected a stream with one, or a learner of "
      "all (stump, logistic), or --anyway");
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
  if (facts.one_number && !settings.Flag("anyway") &&
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

PopPlanRequest MakePopRequest(const Settings& settings, const LearnerSpec& spec,
                              const ApproximateDp& share) {
  // With nothing known of the stream's length, expectations are for this many
  // rounds; privacy depends on no length.
  constexpr std::uint64_t kNominalRounds = 1'000'000;
  const LearnerFacts facts = ExtractFacts(spec);
  const std::uint64_t horizon = settings.GetInt("horizon");
  PopPlanRequest request{
      .epsilon = share.epsilon,
      .delta = share.delta,
      .rounds_per_user = settings.GetInt("rounds-per-user"),
      .pin_users = settings.Flag("pin-users"),
      .variant = IsPaper(settings) ? PopVariant::kPaper : PopVariant::kBand,
      .hand_over = ParsePhaseEnd(settings.Text("hand-over")),
      .mistakes_per_phase =
          static_cast<std::int64_t>(settings.GetInt("agnostic")),
      .goal = settings.Text("optimise") == "bound" ? PopGoal::kBound
                                                   : PopGoal::kExpected,
      .steady = !facts.fast,
      .by_hand = ByHand(settings)};
  request.behaviour = {
      .rounds = horizon > 0 ? horizon : kNominalRounds,
      .complexity = settings.GetOptionalDouble("complexity")
                        .value_or(GuessComplexity(spec, facts)),
      .drift = settings.GetInt("drift"),
      .label_delay = settings.GetInt("label-delay"),
      .label_rate = settings.GetDouble("label-rate"),
      .noise = settings.GetOptionalDouble("noise").value_or(0)};
  request.mistake_bound = settings.GetOptionalDouble("mistake-bound");
  if (!request.mistake_bound) request.mistake_bound = facts.mistake_bound;
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
