#include "sotto/models/tide/tide_row.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sotto/model/feature_needs.h"
#include "sotto/model/plan_text.h"
#include "sotto/models/tide/tide_model_file.h"
#include "sotto/models/tide/tide_online_model.h"
#include "sotto/models/tide/tide_options.h"
#include "sotto/models/tide/tide_outlook.h"
#include "sotto/streams/decimal.h"
#include "sotto/streams/encoding.h"
#include "sotto/streams/stream_format.h"
#include "sotto/streams/table_reader.h"

namespace sotto {
namespace {

// Names of vw and of JSON objects go into so few buckets that their noise stays
// affordable; so do the places of JSON lists.
constexpr int kHashBits = 14;
constexpr std::uint32_t kListPlaces = 1024;
Status Prepare(const Settings& settings, ExampleReader::Params& request) {
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

std::vector<std::string> CaveatsOf(const Plan& plan) {
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

Result<Plan> PlanOf(const Settings& settings, const Inputs* inputs) {
  const Inputs one = {.features = 1, .dense = 1};
  const auto params =
      TideParams(settings, inputs == nullptr ? one : *inputs,
                 {settings.Real("epsilon"), settings.Real("delta")});
  if (!params) return params.error();
  const auto tide = PrivateTide::Create(*params);
  if (!tide) return tide.error();
  Plan plan{.model = TideInWords(*tide),
            .parameters = TideParameters(*tide),
            .guarantee = tide->guarantee(),
            .table = PlanTable(*tide)};
  TideOutlook outlook = ForetellTide(settings, params->label);
  plan.verdict = outlook.verdict;
  plan.excess_expected = outlook.excess;
  plan.mistakes_expected = outlook.mistakes;
  plan.advice = std::move(outlook.advice);
  plan.caveats = CaveatsOf(plan);
  return plan;
}

// The places of the model's columns, and of its label, in a table.
struct Places {
  std::vector<std::size_t> columns;
  std::optional<std::size_t> label;
};

Result<Places> FindPlaces(const TideModelFile& model, const TableSource& source,
                          const TableReader& table, bool with_labels) {
  Places places;
  for (const SchemaColumn& column : model.schema->columns) {
    const auto place = table.Find(column.name);
    if (!place) {
      return InvalidArgument(source.path + ": expected a column " +
                             column.name);
    }
    places.columns.push_back(*place);
  }
  if (!with_labels) return places;
  const std::string& name =
      source.label.empty() ? model.label_column : source.label;
  places.label = table.Find(name.empty() ? "y" : name);
  return places;
}

// 1 if it is wrong, or how far off a number is.
std::optional<double> CostOf(const LabelType& type, const Label& told,
                             std::string_view field) {
  if (field.empty()) return std::nullopt;
  if (type.kind != LabelType::Kind::kNumber) {
    return TideLabelText(type, told) == field ? 0 : 1;
  }
  double truth = 0;
  if (!ParseDecimal(field, truth)) return std::nullopt;
  return std::fabs(std::clamp(truth, type.low, type.high) - told.number());
}

Status Predict(const Json& json, const TableSource& source, bool with_labels,
               const PublishedRow::Take& take) {
  const auto model = TideFromJson(json);
  if (!model) return model.error();
  if (!model->schema) {
    return InvalidArgument(
        "this model was made without a schema, and tables "
        "cannot be read for it");
  }
  auto encoding =
      Encoding::Create({.schema = *model->schema, .clamp = true}, 0);
  if (!encoding) return encoding.error();
  auto table = TableReader::Open({.path = source.path,
                                  .header = source.header,
                                  .skip_bad = source.skip_bad,
                                  .input = {}});
  if (!table) return table.error();
  const auto places = FindPlaces(*model, source, *table, with_labels);
  if (!places) return places.error();
  std::span<const std::string_view> fields;
  FeatureVector x;
  RowFault fault;
  for (;;) {
    const auto more = table->Next(fields);
    if (!more) return more.error();
    if (!*more) return Ok();
    x.clear();
    for (std::size_t c = 0; c < places->columns.size(); ++c) {
      if (encoding->Column(c, fields[places->columns[c]], x, fault)) continue;
      if (source.skip_bad) continue;
      return InvalidArgument(table->position() + ", column " +
                             model->schema->columns[c].name + ": " +
                             fault.message);
    }
    const Label told = model->hypothesis.Predict(x).told;
    const LabelType& type = model->hypothesis.label;
    const auto cost = places->label ? CostOf(type, told, fields[*places->label])
                                    : std::nullopt;
    if (Status taken = take(TideLabelText(type, told), cost); !taken) {
      return taken;
    }
  }
}

Result<std::string> Show(const Json& json) {
  const auto model = TideFromJson(json);
  if (!model) return model.error();
  return ShowTide(*model);
}

}  // namespace

const OnlineRow& TideRow() {
  static const OnlineRow kRow = {
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
      .prepare = Prepare,
      .plan = PlanOf,
      .create = TideOnlineModel::Create,
      .load = TideOnlineModel::Load};
  return kRow;
}

const PublishedRow& PublishedTide() {
  static const PublishedRow kRow = {
      .name = "tide", .show = Show, .predict = Predict};
  return kRow;
}

}  // namespace sotto
