#include "sotto/models/points/points_entry.h"

#include <string>
#include <utility>

#include "sotto/base/number_text.h"
#include "sotto/data/streams/example_reader.h"
#include "sotto/data/streams/feature_needs.h"
#include "sotto/data/streams/schema.h"
#include "sotto/models/points/points_online_model.h"
#include "sotto/models/points/points_options.h"

namespace sotto {
namespace {

// Strings go into as many buckets as there may be: none costs anything, and two
// strings in one bucket would be one point.
Status Prepare(const Settings& settings, ReaderParams& request) {
  constexpr int kHashBits = 30;
  const auto features = static_cast<std::uint32_t>(settings.GetInt("features"));
  FillEncoding({.each_costs = features > 0,
                .features = features,
                .vw_hash_bits = kHashBits},
               settings, request);
  if (features == 0 && !settings.Has("hash-bits")) {
    request.encoding.hash_bits = kHashBits;
  }
  return Ok();
}

// Whether exactly the same rows come again and again, and a few of them decide,
// no schema tells: whoever knows it says so by choosing points.
Status Suit(const InputSpec& inputs, const Settings&, Settings&) {
  const bool categories =
      inputs.schema != nullptr && inputs.schema->columns.size() == 1 &&
      inputs.schema->columns[0].type == SchemaColumn::Type::kCategory;
  if (categories) return Ok();
  return InvalidArgument(
      "is for streams in which the very same rows come again and few of them "
      "are labelled 1: name it if that is so");
}

void Judge(const Settings& settings, const PointPredictor& points, Plan& plan) {
  if (settings.GetInt("horizon") == 0) return;
  const PointsOutlook forecast = ForecastPoints(settings, points);
  plan.mistakes_expected = forecast.mistakes;
  plan.mistakes_bound = forecast.bound;
  plan.verdict = forecast.verdict;
  plan.more["pass_probability"] = forecast.passes;
  if (forecast.verdict == Verdict::kComfortable) return;
  constexpr double kEnough = 0.99;
  if (forecast.passes < kEnough) {
    plan.advice.emplace_back(
        "too few of a point's first labels would be 1 for its gate: more "
        "labels, or labels that are right more often");
  } else {
    plan.advice.push_back(
        "a point needs about " +
        WholeWithCommas(10 * points.expected_mistakes()) +
        " rounds of its own to be comfortable; more epsilon makes it fewer");
  }
}

// Which other model would serve better, and when.
void Compare(const Settings& settings, Plan& plan) {
  plan.caveats.emplace_back(
      "Expected are mistakes at points whose labels are always 1, beside "
      "others whose labels are always 0.");
  plan.caveats.emplace_back(
      "Serves better: leader --learner finite --class points:N, if the points "
      "are 0 to N-1 with N at most some thousands, rows stay alike over time "
      "and the point may be published: fewer mistakes, delta 0.");
  plan.caveats.emplace_back(
      "Serves better: tide or leader, if what rows have in common tells their "
      "labels: points learns every row on its own.");
  if (settings.Text("relation") == "replace") {
    plan.caveats.emplace_back(
        "With --relation add-remove, if that is what is to be hidden, a round "
        "costs about half, and mistakes are about half.");
  }
}

Result<Plan> MakePlan(const Settings& settings, const InputSpec*) {
  SOTTO_TRY_ASSIGN(const auto params,
                   PointsParams(settings, {settings.GetDouble("epsilon"),
                                           settings.GetDouble("delta")}));
  SOTTO_TRY_ASSIGN(const auto points, PointPredictor::Create(params));
  SOTTO_TRY_ASSIGN(auto promise, PointsPromise(settings, points));
  Plan plan{.model = PointsInWords(points),
            .parameters = PointsParameters(points),
            .guarantee = std::move(promise),
            .presumes = ForecastAssumption::kMargin};
  plan.table =
      PlanLine("window", "the first " + WithCommas(points.gate().size()) +
                             " labels of a point decide on it") +
      PlanLine("silent", "its first " + WithCommas(points.silent_rounds()) +
                             " rounds are answered 0") +
      PlanLine("at a point", WholeWithCommas(points.expected_mistakes()) +
                                 " mistakes expected");
  Judge(settings, points, plan);
  Compare(settings, plan);
  return plan;
}

}  // namespace

const OnlineModelEntry& PointsEntry() {
  static const OnlineModelEntry kRow = {
      .name = "points",
      .help =
          "learns which values are labelled 1, and tells only whoever brings "
          "one; mistakes do not grow with the rounds",
      .example = "--epsilon 3 --delta 1e-6 --horizon 1e5",
      .options = PointsOptions(),
      .labels = {LabelType::Kind::kTwo},
      .promise = "any stream whose label is 1 at a few values only",
      .publishes = "nothing",
      .prepare = Prepare,
      .choose_defaults = Suit,
      .plan = MakePlan,
      .create = PointsOnlineModel::Create,
      .load = PointsOnlineModel::Load};
  return kRow;
}

}  // namespace sotto
