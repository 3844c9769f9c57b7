#include "sotto/models/everlasting/everlasting_entry.h"

#include <cmath>
#include <string>
#include <utility>

#include "sotto/base/number_text.h"
#include "sotto/data/streams/example_reader.h"
#include "sotto/models/everlasting/everlasting_online_model.h"
#include "sotto/models/everlasting/everlasting_options.h"
#include "sotto/models/everlasting/everlasting_plan.h"
#include "sotto/models/everlasting/everlasting_text.h"
#include "sotto/models/pop/pop_request.h"

namespace sotto {
namespace {

Status Prepare(const Settings& settings, ReaderParams& request) {
  SOTTO_TRY(CheckEverlasting(settings));
  return PrepareForLearner(settings, request);
}

std::string MakeTable(const EverlastingPhase& first,
                      const EverlastingForecast& forecast) {
  return PlanLine("labelled rows for these sizes",
                  WholeWithCommas(forecast.labelled)) +
         PlanLine("labelled rows needed", WholeWithCommas(forecast.enough)) +
         PlanLine("queries of the first phase", WithCommas(first.rounds)) +
         PlanLine("errors on honest queries, a guess",
                  Shortest(std::round(forecast.error * 1e6) / 1e6));
}

Json MakeExtraJson(const EverlastingPhase& first,
                   const EverlastingForecast& forecast) {
  return Json::Object{{"labelled_planned", forecast.labelled},
                      {"labelled_required", forecast.enough},
                      {"phase_rounds", first.rounds},
                      {"error_expected", forecast.error}};
}

Result<LearnerSpec> SpecFor(const Settings& settings, const InputSpec* inputs) {
  auto spec = PopLearner(settings.Text("learner"), inputs);
  if (!spec) return spec;
  SOTTO_TRY(CheckColumns(settings, *spec, inputs));
  if (ExtractFacts(*spec).needs_features && spec->features == 0) {
    return InvalidArgument(
        "how many features there are must be known: --learner " + spec->name +
        ":features=N");
  }
  return spec;
}

Result<Plan> MakePlan(const Settings& settings, const InputSpec* inputs) {
  SOTTO_TRY(CheckEverlasting(settings));
  SOTTO_TRY_ASSIGN(const auto spec, SpecFor(settings, inputs));
  SOTTO_TRY_ASSIGN(const auto asked,
                   MakeEverlastingRequest(settings, spec,
                                          {settings.GetDouble("epsilon"),
                                           settings.GetDouble("delta")}));
  SOTTO_TRY_ASSIGN(const auto params, PlanEverlasting(asked));
  SOTTO_TRY_ASSIGN(auto schedule, EverlastingSchedule::Create(params));
  SOTTO_TRY_ASSIGN(const auto first, schedule.At(0));
  SOTTO_TRY_ASSIGN(auto forecast,
                   ForecastEverlasting(settings, spec, params, first));
  Plan plan{.model = EverlastingInWords(spec, first),
            .parameters = EverlastingParameters(spec, params, first),
            .guarantee = schedule.guarantee(),
            .presumes = ForecastAssumption::kRule,
            .verdict = forecast.verdict,
            .advice = forecast.advice,
            .more = MakeExtraJson(first, forecast),
            .table = MakeTable(first, forecast)};
  // Of a labelled set that nobody has, nothing is expected.
  if (settings.GetOptionalInt("training-rows") &&
      settings.GetInt("horizon") > 0) {
    plan.mistakes_expected =
        static_cast<double>(settings.GetInt("horizon")) *
        (forecast.error + settings.GetOptionalDouble("noise").value_or(0));
  }
  plan.caveats.emplace_back(
      "The errors expected are a guess for the first phases: each phase learns "
      "from the answers of the one before, and what it gets wrong is handed "
      "on.");
  return plan;
}

Result<AnyLearner> MakeNonPrivate(const ModelRequest& request) {
  SOTTO_TRY_ASSIGN(const auto spec, PopLearner(request.settings.Text("learner"),
                                               &request.inputs));
  return MakeLearner(spec);
}

}  // namespace

const OnlineModelEntry& EverlastingEntry() {
  static const OnlineModelEntry kRow = {
      .name = "everlasting",
      .help =
          "answers queries for ever from one labelled set: teachers vote, and "
          "what they answer clearly teaches the next ones",
      .example =
          "--epsilon 3 --delta 1e-5 --learner threshold --training-rows 1e6",
      .options = EverlastingOptions(),
      .labels = {LabelType::Kind::kTwo},
      .promise =
          "no stream: queries like the labelled rows are expected, "
          "others beside them do little harm",
      .publishes = "nothing",
      .needs_training_set = true,
      .prepare = Prepare,
      .plan = MakePlan,
      .create = EverlastingOnlineModel::Create,
      .load = EverlastingOnlineModel::Load,
      .plain = MakeNonPrivate};
  return kRow;
}

}  // namespace sotto
