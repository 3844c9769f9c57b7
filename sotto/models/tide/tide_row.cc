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
#include "sotto/streams/encoding.h"
#include "sotto/streams/table_reader.h"

namespace sotto {
namespace {

// Names of vw go into so few buckets that their noise stays affordable.
constexpr int kHashBits = 14;
// Rounds times epsilon, for each round of a user, below which the noise drowns
// what there is to learn, and above which it does not matter much: a judgement,
// no bound.
constexpr double kHopeless = 2000;
constexpr double kComfortable = 20'000;
// What learning and privacy add to the error of the best rule is about this
// over the root of the same product, for each class beyond the first: a fit to
// six real streams, on which it is within a factor of 3 (tide.md).
constexpr double kExcess = 3;

Status Prepare(const Settings& settings, ExampleReader::Params& request) {
  FillEncoding({.each_costs = true, .vw_hash_bits = kHashBits}, settings,
               request);
  request.encoding.clamp = true;
  return Ok();
}

Verdict VerdictOf(double worth) {
  if (worth < kHopeless) return Verdict::kHopeless;
  return worth < kComfortable ? Verdict::kTight : Verdict::kComfortable;
}

// Rounds times epsilon that a user's one round is worth, as far as labels come.
double WorthOf(const Settings& settings) {
  return static_cast<double>(settings.Whole("horizon")) *
         settings.Real("label-rate") * settings.Real("epsilon") /
         static_cast<double>(settings.Whole("rounds-per-user"));
}

std::optional<double> ExcessOf(double worth, const LabelType& label) {
  if (label.kind == LabelType::Kind::kNumber) return std::nullopt;
  const double classes = label.classes();
  return std::min(kExcess / std::sqrt(worth) * (classes / 2), 1 - 1 / classes);
}

// What the stream's length allows to say.
void Foretell(const Settings& settings, const LabelType& label, Plan& plan) {
  const double worth = WorthOf(settings);
  const auto horizon = static_cast<double>(settings.Whole("horizon"));
  plan.verdict = VerdictOf(worth);
  plan.excess_expected = ExcessOf(worth, label);
  const auto noise = settings.MaybeReal("noise");
  if (noise && plan.excess_expected) {
    const double most = 1 - 1.0 / label.classes();
    plan.mistakes_expected =
        std::min(*noise + *plan.excess_expected, most) * horizon;
  }
  if (*plan.verdict == Verdict::kComfortable) return;
  plan.advice.push_back(
      "about " + WholeWithCommas(kComfortable / worth * horizon) +
      " rounds, or as much more epsilon, would be comfortable");
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
  if (settings.Whole("horizon") > 0) Foretell(settings, params->label, plan);
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

std::optional<bool> IsWrong(const LabelType& type, const Label& told,
                            std::string_view field) {
  if (type.kind == LabelType::Kind::kNumber || field.empty()) {
    return std::nullopt;
  }
  return TideLabelText(type, told) != field;
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
    const auto wrong = places->label
                           ? IsWrong(type, told, fields[*places->label])
                           : std::nullopt;
    if (Status taken = take(TideLabelText(type, told), wrong); !taken) {
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
