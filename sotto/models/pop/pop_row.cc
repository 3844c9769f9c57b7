#include "sotto/models/pop/pop_row.h"

#include <utility>

#include "sotto/model/feature_needs.h"
#include "sotto/models/pop/pop_online_model.h"
#include "sotto/models/pop/pop_options.h"
#include "sotto/models/pop/pop_plan.h"
#include "sotto/models/pop/pop_request.h"
#include "sotto/models/pop/pop_words.h"

namespace sotto {
namespace {

Status Prepare(const Settings& settings, ExampleReader::Params& request) {
  if (Status good = CheckPop(settings); !good) return good;
  const auto spec = PopLearner(settings.Text("learner"), nullptr);
  if (!spec) return spec.error();
  FillEncoding(
      {.each_costs = FactsOf(*spec).needs_features, .features = spec->features},
      settings, request);
  // A word would become a bucket, and feature 0 of it a zero.
  request.encoding.numbers_only = FactsOf(*spec).one_number;
  return Ok();
}

std::vector<std::string> CaveatsOf(const LearnerSpec& spec) {
  if (FactsOf(spec).thresholds) return {};
  return {"The mistakes expected are a model of thresholds; for " + spec.name +
          " they are a guess (--complexity), and wrong labels are not in it."};
}

Result<Plan> PlanOf(const Settings& settings, const Inputs* inputs) {
  if (Status good = CheckPop(settings); !good) return good.error();
  const auto spec = PopLearner(settings.Text("learner"), inputs);
  if (!spec) return spec.error();
  if (FactsOf(*spec).needs_features && spec->features == 0) {
    return InvalidArgument(
        "how many features there are must be known: --learner " + spec->name +
        ":features=N");
  }
  const auto plan = PlanPop(PopRequestOf(
      settings, *spec, {settings.Real("epsilon"), settings.Real("delta")}));
  if (!plan) return plan.error();
  auto promise = PopPromise(settings, plan->guarantee);
  if (!promise) return promise.error();
  return Plan{.model = "pop over " + spec->ToText(),
              .parameters = PopParameters(settings, *spec, plan->schedule),
              .guarantee = *std::move(promise),
              .mistakes_expected = plan->expected.mistakes,
              .mistakes_bound = plan->mistakes_bound,
              .presumes_rule = true,
              .verdict = plan->verdict,
              .advice = plan->advice,
              .caveats = CaveatsOf(*spec),
              .more = PopPlanMore(*spec, *plan),
              .table = PopPlanTable(*plan)};
}

// A learner of one number is for streams that have one.
Status Suit(const Inputs& inputs, const Settings& facts, Settings& settings) {
  if (inputs.features <= 1 || facts.Given("learner")) return Ok();
  return settings.Set("learner", "logistic");
}

Result<AnyLearner> PlainOf(const ModelRequest& request) {
  const auto spec =
      PopLearner(request.settings.Text("learner"), &request.inputs);
  if (!spec) return spec.error();
  return MakeLearner(*spec);
}

}  // namespace

const OnlineRow& PopRow() {
  static const OnlineRow kRow = {
      .name = "pop",
      .help =
          "any online learner, made private: copies vote, each user hears "
          "the noisy majority",
      .example = "--epsilon 1 --delta 1e-6 --horizon 1e5 --learner threshold",
      .options = PopOptions(),
      .labels = {LabelType::Kind::kTwo},
      .promise = "any stream, also one chosen by an adversary",
      .publishes = "nothing",
      .prepare = Prepare,
      .suit = Suit,
      .plan = PlanOf,
      .create = PopOnlineModel::Create,
      .load = PopOnlineModel::Load,
      .plain = PlainOf};
  return kRow;
}

}  // namespace sotto
