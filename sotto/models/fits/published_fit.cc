#include "sotto/models/fits/published_fit.h"

#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "sotto/accounting/guarantee_json.h"
#include "sotto/base/printable.h"
#include "sotto/data/streams/columns.h"
#include "sotto/data/streams/encoding.h"
#include "sotto/data/streams/label_parser.h"
#include "sotto/data/streams/row_error.h"
#include "sotto/data/streams/table_reader.h"
#include "sotto/models/fits/fit_file.h"

namespace sotto {
namespace {

// The file's columns as a schema, so that fields are read as they were when the
// model was made.
Schema MakeSchema(const FitColumns& columns) {
  Schema schema;
  for (const FitColumn& column : columns.all()) {
    SchemaColumn about;
    about.name = column.name;
    if (column.kind == FitColumn::Kind::kCategory) {
      about.type = SchemaColumn::Type::kCategory;
      about.values = column.values;
    } else if (column.kind == FitColumn::Kind::kBoolean) {
      about.type = SchemaColumn::Type::kBoolean;
    } else if (column.kind == FitColumn::Kind::kNumber) {
      about.range = {column.low, column.high};
    }
    schema.columns.push_back(std::move(about));
  }
  return schema;
}

Result<TableReader> OpenTable(const FitFile& file, const TableSource& source,
                              const std::string& label) {
  TableReader::Params params{.path = source.path,
                             .header = source.header,
                             .skip_bad = source.skip_bad,
                             .input = {}};
  if (!source.header) {
    std::vector<std::string> names{label};
    for (const FitColumn& column : file.columns.all()) {
      names.push_back(column.name);
    }
    std::optional<std::uint32_t> count;
    if (source.columns) count = static_cast<std::uint32_t>(*source.columns);
    SOTTO_TRY_ASSIGN(auto columns, HeaderlessColumns(count, names));
    params.columns = std::move(columns);
  }
  return TableReader::Open(std::move(params));
}

Result<std::vector<std::size_t>> FindPlaces(const FitFile& file,
                                            const TableReader& table,
                                            const std::string& path) {
  std::vector<std::size_t> places;
  for (const FitColumn& column : file.columns.all()) {
    const auto place = table.Find(column.name);
    if (!place) {
      return InvalidArgument(path + ": expected a column " + column.name);
    }
    places.push_back(*place);
  }
  return places;
}

// Reads a row's fields into codes; false if it is to be left out.
Result<bool> ReadRow(const Encoding& encoding, const FitFile& file,
                     std::span<const std::size_t> places,
                     std::span<const std::string_view> fields, bool skip_bad,
                     const std::string& position,
                     std::span<std::uint32_t> codes) {
  FeatureVector x;
  RowError fault;
  if (fields.empty()) return false;
  for (std::size_t c = 0; c < places.size(); ++c) {
    if (encoding.Column(c, fields[places[c]], x, fault)) continue;
    if (skip_bad) return false;
    return InvalidArgument(position + ", column " + file.columns[c].name +
                           ": " + fault.message);
  }
  file.columns.Encode(x, codes);
  for (std::size_t c = 0; c < places.size(); ++c) {
    const FitColumn& column = file.columns[c];
    if (column.kind != FitColumn::Kind::kPoint || codes[c] < column.points) {
      continue;
    }
    if (skip_bad) return false;
    return InvalidArgument(position + ", column " + column.name + ": " +
                           Shown(fields[places[c]]) +
                           ": expected a point of the class: a whole number "
                           "from 0 to " +
                           std::to_string(column.points - 1));
  }
  return true;
}

}  // namespace

Result<std::string> ShowFit(const Json& model) {
  SOTTO_TRY_ASSIGN(const auto file, FitFile::FromJson(model));
  std::string text = file.Text();
  if (const Json* promise = model.Find("guarantee"); promise != nullptr) {
    SOTTO_TRY_ASSIGN(const auto guarantee, GuaranteeFromJson(*promise));
    text += "Privacy: " + guarantee.Describe() + "\n";
  }
  return Printable(text);
}

Status PredictWithFit(const Json& model, const TableSource& source,
                      bool with_labels, const ModelFileFormat::Take& take) {
  SOTTO_TRY_ASSIGN(const auto file, FitFile::FromJson(model));
  const bool points = !file.hypothesis.table().empty();
  SOTTO_TRY_ASSIGN(auto encoding,
                   Encoding::Create({.schema = MakeSchema(file.columns),
                                     .raw_numbers = points,
                                     .clamp = true},
                                    0));
  FitLabels labels = file.labels;
  if (!source.label.empty()) labels.column = source.label;
  if (!source.labels.empty()) {
    SOTTO_TRY_ASSIGN(const auto words, ParseLabelWords(source.labels));
    labels.negative = words->first;
    labels.positive = words->second;
  }
  SOTTO_TRY_ASSIGN(auto table, OpenTable(file, source, labels.column));
  SOTTO_TRY_ASSIGN(const auto places, FindPlaces(file, table, source.path));
  const auto label = with_labels ? table.Find(labels.column) : std::nullopt;
  const LabelParser parser({.names = {labels.negative, labels.positive}},
                           false);
  std::vector<std::uint32_t> codes(file.columns.size());
  std::span<const std::string_view> fields;
  for (;;) {
    SOTTO_TRY_ASSIGN(const auto more, table.Next(fields));
    if (!more) return Ok();
    SOTTO_TRY_ASSIGN(const auto read,
                     ReadRow(encoding, file, places, fields, source.skip_bad,
                             table.position(), codes));
    if (!read) {
      SOTTO_TRY(take("", std::nullopt));
      continue;
    }
    const std::string& prediction = labels.Name(file.hypothesis.Predict(codes));
    std::optional<bool> wrong;
    std::optional<Label> known;
    RowError fault;
    if (label && parser.Parse(fields[*label], known, fault) && known) {
      wrong = labels.Name(known->positive()) != prediction;
    }
    SOTTO_TRY(take(prediction, wrong));
  }
}

}  // namespace sotto
