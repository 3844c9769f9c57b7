#include "sotto/models/tide/tide_entry.h"

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "sotto/base/number_text.h"
#include "sotto/data/streams/example_reader.h"
#include "sotto/data/streams/feature_needs.h"
#include "sotto/data/streams/stream_format.h"
#include "sotto/models/tide/tide_forecast.h"
#include "sotto/models/tide/tide_model_file.h"
#include "sotto/models/tide/tide_online_model.h"
#include "sotto/models/tide/tide_options.h"
#include "sotto/models/tide/tide_predict.h"

namespace sotto {
namespace {

// Names of vw and of JSON objects go into so few buckets that their noise stays
// affordable; so do the places of JSON lists.
constexpr int kHashBits = 14;
constexpr std::uint32_t kListPlaces = 1024;
Status Prepare(const Settings& settings, ReaderParams& request) {
  FillEncoding({.each_costs = true, .vw_hash_bits = kHashBits}, settings,
               request);
  const auto format =
      request.format ? request.format : FormatOfPath(request.path);
  if (format == StreamFormat::kJsonl && !request.encoding.schema) {
    request.encoding.features = kListPlaces;
    if (!settings.Has("hash-bits")) request.encoding.hash_bits = kHashBits;
  }
  request.encoding.clamp = true;
  return Ok();
}

std::vector<std::string> MakeCaveats(const Plan& plan) {
  if (plan.mistakes_expected) {
    return {
        "The mistakes expected are --noise, and what learning adds by a "
        "fit to real tables, within a factor of 3; none is proved."};
  }
  return {
      "How well columns tell labels cannot be foreseen: no number of "
      "mistakes is expected or proved (--noise, the share that the best "
      "rule gets wrong, would give one)."};
}

std::string PlanTable(const PrivateTide& tide) {
  const auto& encoding = tide.hypothesis().frame.encoding();
  const TideSchedule& schedule = tide.schedule();
  return PlanLine("coordinates", WithCommas(encoding.coordinates())) +
         PlanLine("first release",
                  "after " + WithCommas(schedule.start_rows) + " rounds") +
         PlanLine("then one every", WithCommas(schedule.batch) + " rounds") +
         PlanLine("noise of a release",
                  "as much as the errors of " +
                      Shortest(std::round(tide.StepDeviation() * 10) / 10) +
                      " rows");
}

Result<Plan> MakePlan(const Settings& settings, const InputSpec* inputs) {
  const InputSpec one = {.features = 1, .dense = 1};
  SOTTO_TRY_ASSIGN(
      const auto params,
      TideParams(settings, inputs == nullptr ? one : *inputs,
                 {settings.GetDouble("epsilon"), settings.GetDouble("delta")}));
  SOTTO_TRY_ASSIGN(const auto tide, PrivateTide::Create(params));
  Plan plan{.model = TideInWords(tide),
            .parameters = TideParameters(tide),
            .guarantee = tide.guarantee(),
            .table = PlanTable(tide)};
  TideForecast forecast = ForecastTide(settings, params.label);
  plan.verdict = forecast.verdict;
  plan.excess_expected = forecast.excess;
  plan.mistakes_expected = forecast.mistakes;
  plan.advice = std::move(forecast.advice);
  plan.caveats = MakeCaveats(plan);
  return plan;
}

Result<std::string> Show(const Json& json) {
  SOTTO_TRY_ASSIGN(const auto model, TideFromJson(json));
  return ShowTide(model);
}

}  // namespace

const OnlineModelEntry& TideEntry() {
  static const OnlineModelEntry kRow = {
      .name = "tide",
      .help =
          "logistic regression over the columns of a table, with published "
          "weights: for labels, classes and numbers",
      .example = "--epsilon 1 --delta 1e-6 --horizon 1e5",
      .options = TideOptions(),
      .labels = {LabelType::Kind::kTwo, LabelType::Kind::kClasses,
                 LabelType::Kind::kNumber},
      .promise = "no stream: it is measured on real ones",
      .publishes = "weights",
      .probabilities = true,
      .prepare = Prepare,
      .plan = MakePlan,
      .create = TideOnlineModel::Create,
      .load = TideOnlineModel::Load};
  return kRow;
}

const ModelFileFormat& PublishedTide() {
  static const ModelFileFormat kRow = {
      .name = "tide", .show = Show, .predict = PredictByTide};
  return kRow;
}

}  // namespace sotto
