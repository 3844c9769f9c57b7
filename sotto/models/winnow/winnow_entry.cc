#include "sotto/models/winnow/winnow_entry.h"

#include <utility>

#include "sotto/data/streams/example_reader.h"
#include "sotto/data/streams/feature_needs.h"
#include "sotto/learners/confident_winnow.h"
#include "sotto/models/winnow/winnow_online_model.h"
#include "sotto/models/winnow/winnow_options.h"
#include "sotto/models/winnow/winnow_text.h"

namespace sotto {
namespace {

// The values that winnow takes; what it would clip is a mistake of whoever made
// the stream, unless --clip says that it is meant. Where examples are sparse,
// names may go into many buckets.
Status Prepare(const Settings& settings, ReaderParams& request) {
  constexpr double kLargest = 1;
  constexpr int kSparseBits = 18;
  const bool has_schema = request.encoding.schema.has_value();
  SOTTO_TRY(CheckWinnow(settings, has_schema));
  FeatureNeeds needs{
      .each_costs = true,
      .features = static_cast<std::uint32_t>(settings.GetInt("features"))};
  if (settings.Has("max-nonzeros")) needs.vw_hash_bits = kSparseBits;
  FillEncoding(needs, settings, request);
  if (!settings.Flag("clip")) request.limits.max_magnitude = kLargest;
  return Ok();
}

Result<Plan> MakePlan(const Settings& said, const InputSpec* inputs) {
  const bool has_schema = inputs != nullptr && inputs->schema != nullptr;
  SOTTO_TRY(CheckWinnow(said, has_schema));
  const Settings settings = WithSchema(said, inputs);
  SOTTO_TRY_ASSIGN(const auto features, WinnowFeatures(settings, inputs));
  const ApproximateDp share{settings.GetDouble("epsilon"),
                            settings.GetDouble("delta")};
  SOTTO_TRY_ASSIGN(const auto winnow, MakeWinnow(settings, features, share));
  SOTTO_TRY_ASSIGN(auto forecast,
                   MakeForecast(settings, features, share, winnow));
  Plan plan{.model = Summary(settings, features, winnow),
            .parameters = WinnowParameters(settings, features, winnow),
            .guarantee = GetGuarantee(winnow),
            .mistakes_expected = forecast.expected,
            .presumes = ForecastAssumption::kMargin,
            .verdict = forecast.verdict,
            .advice = std::move(forecast.advice),
            .caveats = WinnowCaveats(settings)};
  for (std::string& sentence : WinnowCaveats(said, settings, features)) {
    plan.caveats.push_back(std::move(sentence));
  }
  Json advice = Json::Array();
  for (const std::string& sentence : plan.advice) advice.Add(sentence);
  plan.more["advice"] = std::move(advice);
  if (forecast.bound) {
    plan.mistakes_bound = forecast.bound;
    plan.caveats.emplace_back(
        "The proved bound is for streams whose best weights have the margin "
        "that was stated.");
  }
  return plan;
}

// Winnow with the same margin, without noise.
Result<AnyLearner> MakeNonPrivate(const ModelRequest& request) {
  const Settings settings = WithSchema(request.settings, &request.inputs);
  SOTTO_TRY_ASSIGN(auto learner,
                   ConfidentWinnow::Create(
                       {.features = request.inputs.features,
                        .margin = settings.GetDouble("margin"),
                        .nonnegative = request.settings.Flag("nonnegative")}));
  return AnyLearner(std::move(learner));
}

}  // namespace

const OnlineModelEntry& WinnowEntry() {
  static const OnlineModelEntry kRow = {
      .name = "winnow",
      .help = "sparse halfspaces; publishes its weights",
      .example =
          "--epsilon 3 --delta 1e-6 --horizon 2e4 --margin 0.5 "
          "--features 50",
      .options = WinnowOptions(),
      .labels = {LabelType::Kind::kTwo},
      .promise = "any stream whose best weights have a margin",
      .publishes = "weights",
      .prepare = Prepare,
      .plan = MakePlan,
      .create = WinnowOnlineModel::Create,
      .load = WinnowOnlineModel::Load,
      .plain = MakeNonPrivate};
  return kRow;
}

}  // namespace sotto
