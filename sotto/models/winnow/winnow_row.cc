#include "sotto/models/winnow/winnow_row.h"

#include <utility>

#include "sotto/learners/confident_winnow.h"
#include "sotto/models/winnow/winnow_online_model.h"
#include "sotto/models/winnow/winnow_options.h"
#include "sotto/models/winnow/winnow_words.h"
#include "sotto/online/feature_needs.h"

namespace sotto {
namespace {

// The values that winnow takes; what it would clip is a mistake of whoever made
// the stream, unless --clip says that it is meant. Where examples are sparse,
// names may go into many buckets.
Status Prepare(const Settings& settings, ExampleReader::Params& request) {
  constexpr double kLargest = 1;
  constexpr int kSparseBits = 18;
  const bool has_schema = request.encoding.schema.has_value();
  if (Status good = CheckWinnow(settings, has_schema); !good) return good;
  FeatureNeeds needs{
      .each_costs = true,
      .features = static_cast<std::uint32_t>(settings.Whole("features"))};
  if (settings.Has("max-nonzeros")) needs.vw_hash_bits = kSparseBits;
  FillEncoding(needs, settings, request);
  if (!settings.Flag("clip")) request.limits.max_magnitude = kLargest;
  return Ok();
}

Result<Plan> PlanOf(const Settings& said, const Inputs* inputs) {
  const bool has_schema = inputs != nullptr && inputs->schema != nullptr;
  if (Status good = CheckWinnow(said, has_schema); !good) return good.error();
  const Settings settings = WithSchema(said, inputs);
  const auto features = WinnowFeatures(settings, inputs);
  if (!features) return features.error();
  const ApproximateDp share{settings.Real("epsilon"), settings.Real("delta")};
  const auto winnow = MakeWinnow(settings, *features, share);
  if (!winnow) return winnow.error();
  auto outlook = OutlookOf(settings, *features, share, *winnow);
  if (!outlook) return outlook.error();
  Plan plan{.model = InWords(settings, *features, *winnow),
            .parameters = WinnowParameters(settings, *features, *winnow),
            .guarantee = GuaranteeOf(*winnow),
            .mistakes_expected = outlook->expected,
            .presumes = Presumes::kMargin,
            .verdict = outlook->verdict,
            .advice = std::move(outlook->advice),
            .caveats = WinnowCaveats(settings)};
  for (std::string& sentence : WinnowUnforeseen(said, settings, *features)) {
    plan.caveats.push_back(std::move(sentence));
  }
  Json advice = Json::Array();
  for (const std::string& sentence : plan.advice) advice.Add(sentence);
  plan.more["advice"] = std::move(advice);
  if (outlook->bound) {
    plan.mistakes_bound = outlook->bound;
    plan.caveats.emplace_back(
        "The proved bound is for streams whose best weights have the margin "
        "that was stated.");
  }
  return plan;
}

// Winnow with the same margin, without noise.
Result<AnyLearner> PlainOf(const ModelRequest& request) {
  const Settings settings = WithSchema(request.settings, &request.inputs);
  auto learner = ConfidentWinnow::Create(
      {.features = request.inputs.features,
       .margin = settings.Real("margin"),
       .nonnegative = request.settings.Flag("nonnegative")});
  if (!learner) return learner.error();
  return AnyLearner(*std::move(learner));
}

}  // namespace

const OnlineRow& WinnowRow() {
  static const OnlineRow kRow = {
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
      .plan = PlanOf,
      .create = WinnowOnlineModel::Create,
      .load = WinnowOnlineModel::Load,
      .plain = PlainOf};
  return kRow;
}

}  // namespace sotto
