#include "sotto/models/pop/pop_entry.h"

#include <utility>

#include "sotto/data/streams/example_reader.h"
#include "sotto/models/pop/pop_online_model.h"
#include "sotto/models/pop/pop_options.h"
#include "sotto/models/pop/pop_plan.h"
#include "sotto/models/pop/pop_request.h"
#include "sotto/models/pop/pop_text.h"

namespace sotto {
namespace {

Status Prepare(const Settings& settings, ReaderParams& request) {
  SOTTO_TRY(CheckPop(settings));
  return PrepareForLearner(settings, request);
}

// What the mistakes expected leave out, for every learner.
std::vector<std::string> MakeCaveats(const Settings& settings,
                                     const LearnerSpec& spec) {
  std::vector<std::string> caveats;
  if (!ExtractFacts(spec).thresholds) {
    caveats.push_back("The mistakes expected are a model of thresholds; for " +
                      spec.name + " they are a guess (--complexity).");
  }
  caveats.emplace_back(
      "The mistakes expected are for two labels that are both common, and "
      "numbers that fill their range evenly: where one of the labels is rare, "
      "a "
      "copy needs more examples (--complexity), and mistakes can be ten times "
      "as many.");
  if (settings.GetDouble("label-rate") < 1) {
    caveats.emplace_back(
        "The mistakes expected are wrong answers in all rounds; a run counts "
        "those whose label comes.");
  }
  if (settings.GetOptionalDouble("noise").value_or(0) > 0) {
    caveats.emplace_back(
        "Of wrong labels the plan supposes that they are spread evenly over "
        "the rounds, and that each makes a copy begin again.");
  }
  return caveats;
}

Result<Plan> MakePlan(const Settings& settings, const InputSpec* inputs) {
  SOTTO_TRY(CheckPop(settings));
  SOTTO_TRY_ASSIGN(const auto spec,
                   PopLearner(settings.Text("learner"), inputs));
  SOTTO_TRY(CheckColumns(settings, spec, inputs));
  if (ExtractFacts(spec).needs_features && spec.features == 0) {
    return InvalidArgument(
        "how many features there are must be known: --learner " + spec.name +
        ":features=N");
  }
  SOTTO_TRY_ASSIGN(const auto plan,
                   PlanPop(MakePopRequest(settings, spec,
                                          {settings.GetDouble("epsilon"),
                                           settings.GetDouble("delta")})));
  SOTTO_TRY_ASSIGN(auto promise, PopPromise(settings, plan.guarantee));
  return Plan{.model = "pop over " + spec.ToText(),
              .parameters = PopParameters(settings, spec, plan.schedule),
              .guarantee = std::move(promise),
              .mistakes_expected = plan.expected.mistakes,
              .mistakes_bound = plan.mistakes_bound,
              .presumes = ForecastAssumption::kRule,
              .verdict = plan.verdict,
              .advice = plan.advice,
              .caveats = MakeCaveats(settings, spec),
              .more = PopPlanMore(spec, plan),
              .table = PopPlanTable(plan)};
}

Result<AnyLearner> MakeNonPrivate(const ModelRequest& request) {
  SOTTO_TRY_ASSIGN(const auto spec, PopLearner(request.settings.Text("learner"),
                                               &request.inputs));
  return MakeLearner(spec);
}

}  // namespace

const OnlineModelEntry& PopEntry() {
  static const OnlineModelEntry kRow = {
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
      .plan = MakePlan,
      .create =
          [](const ModelRequest& request) {
            return PopOnlineModel::Create(request);
          },
      .load =
          [](const ModelRequest& request, ByteReader& reader) {
            return PopOnlineModel::Load(request, reader);
          },
      .plain = MakeNonPrivate};
  return kRow;
}

OnlineModelEntry PopRowOver(HostLearner host) {
  OnlineModelEntry entry = PopEntry();
  entry.create = [host](const ModelRequest& request) {
    return PopOnlineModel::Create(request, &host);
  };
  entry.load = [host](const ModelRequest& request, ByteReader& reader) {
    return PopOnlineModel::Load(request, reader, &host);
  };
  entry.plain = nullptr;
  return entry;
}

}  // namespace sotto
