#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sotto/data/streams/decimal.h"
#include "sotto/data/streams/encoding.h"
#include "sotto/data/streams/example_reader.h"
#include "sotto/data/streams/table_reader.h"
#include "sotto/models/tide/tide_model_file.h"

namespace sotto {
namespace {

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
std::optional<double> ComputeCost(const LabelType& type,
                                  const Label& prediction,
                                  std::string_view field) {
  if (field.empty()) return std::nullopt;
  if (type.kind != LabelType::Kind::kNumber) {
    return type.Name(prediction) == field ? 0 : 1;
  }
  double truth = 0;
  if (!ParseDecimal(field, truth)) return std::nullopt;
  return std::fabs(std::clamp(truth, type.low, type.high) -
                   prediction.number());
}

// Reads a row's features into x. Returns false for a row without a prediction:
// a blank one, or a bad one that is skipped.
Result<bool> ReadRow(const TideModelFile& model, const Encoding& encoding,
                     const Places& places, const TableSource& source,
                     const TableReader& table,
                     std::span<const std::string_view> fields,
                     FeatureVector& x) {
  x.clear();
  if (fields.empty()) return false;
  RowError fault;
  for (std::size_t c = 0; c < places.columns.size(); ++c) {
    if (encoding.Column(c, fields[places.columns[c]], x, fault)) continue;
    if (source.skip_bad) return false;
    return InvalidArgument(table.position() + ", column " +
                           model.schema->columns[c].name + ": " +
                           fault.message);
  }
  return true;
}

Status PredictBySchema(const TideModelFile& model, const TableSource& source,
                       bool with_labels, const ModelFileFormat::Take& take) {
  SOTTO_TRY_ASSIGN(
      auto encoding,
      Encoding::Create({.schema = *model.schema, .clamp = true}, 0));
  SOTTO_TRY_ASSIGN(auto table, TableReader::Open({.path = source.path,
                                                  .header = source.header,
                                                  .skip_bad = source.skip_bad,
                                                  .input = {}}));
  SOTTO_TRY_ASSIGN(const auto places,
                   FindPlaces(model, source, table, with_labels));
  std::span<const std::string_view> fields;
  FeatureVector x;
  for (;;) {
    SOTTO_TRY_ASSIGN(const auto more, table.Next(fields));
    if (!more) return Ok();
    SOTTO_TRY_ASSIGN(const auto read, ReadRow(model, encoding, places, source,
                                              table, fields, x));
    if (!read) {
      SOTTO_TRY(take("", std::nullopt));
      continue;
    }
    const Label prediction = model.hypothesis.Predict(x).prediction;
    const LabelType& type = model.hypothesis.label;
    const auto cost = places.label
                          ? ComputeCost(type, prediction, fields[*places.label])
                          : std::nullopt;
    SOTTO_TRY(take(type.Name(prediction), cost));
  }
}

// Without a schema features are numbers by their places: the columns of a csv
// file in their order, but for the label's and the user's.
Result<ExampleReader> NumbersFor(const TideModelFile& model,
                                 const TableSource& source, bool with_labels) {
  const LabelType& label = model.hypothesis.label;
  ReaderParams params{.path = source.path,
                      .header = source.header,
                      .label = source.label,
                      .label_optional = true,
                      .ignore_labels = !with_labels,
                      .labels = {{label.names[0], label.names[1]}},
                      .encoding = {.hash_bits = 0},
                      .skip_bad = source.skip_bad};
  if (!source.format.empty()) params.format = FormatNamed(source.format);
  if (source.columns) {
    params.columns = static_cast<std::uint32_t>(*source.columns);
  }
  const std::uint32_t expected =
      model.hypothesis.frame.encoding().groups().front().size;
  const auto format = params.format ? params.format : FormatOfPath(source.path);
  if (format != StreamFormat::kCsv) params.encoding.features = expected;
  auto reader = ExampleReader::Open(std::move(params));
  if (reader && reader->features() != expected) {
    return InvalidArgument("this model was made without a schema, for " +
                           std::to_string(expected) +
                           " features by their places; these rows have " +
                           std::to_string(reader->features()));
  }
  return reader;
}

Status PredictByPlaces(const TideModelFile& model, const TableSource& source,
                       bool with_labels, const ModelFileFormat::Take& take) {
  if (model.hypothesis.label.kind != LabelType::Kind::kTwo) {
    return InvalidArgument("classes and numbers as labels need a schema");
  }
  SOTTO_TRY_ASSIGN(auto reader, NumbersFor(model, source, with_labels));
  Round round;
  for (;;) {
    SOTTO_TRY_ASSIGN(const auto more, reader.Next(round));
    if (!more) return Ok();
    std::string prediction;
    std::optional<double> cost;
    if (round.present()) {
      const Label label = model.hypothesis.Predict(round.x).prediction;
      prediction = model.hypothesis.label.Name(label);
      if (round.y) cost = *round.y == label ? 0 : 1;
    }
    SOTTO_TRY(take(prediction, cost));
  }
}

}  // namespace

Status PredictByTide(const Json& json, const TableSource& source,
                     bool with_labels, const ModelFileFormat::Take& take) {
  SOTTO_TRY_ASSIGN(const auto model, TideFromJson(json));
  return model.schema ? PredictBySchema(model, source, with_labels, take)
                      : PredictByPlaces(model, source, with_labels, take);
}

}  // namespace sotto
