#include "sotto/models/batch/table_predictor.h"

#include <string>
#include <utility>

#include "sotto/data/streams/schema.h"

namespace sotto {
namespace {

// Fails if the table's schema says something else of a column of the model.
Status CheckSame(const Schema& model, const Schema& table) {
  for (const SchemaColumn& column : model.columns) {
    const auto place = table.Find(column.name);
    if (!place || column.type != table.columns[*place].type) {
      return InvalidArgument("--schema: the model has a column " +
                             Shown(column.name) +
                             " that this schema lacks or types differently");
    }
  }
  return Ok();
}

// The label of the table: its schema's or the model's, under the name given.
Result<SchemaLabel> ChooseLabel(const PublishedModel& model,
                                const ReaderParams& params) {
  SchemaLabel label{model.label_column.empty() ? "y" : model.label_column,
                    model.label};
  const auto& schema = params.encoding.schema;
  if (schema && schema->label) label = *schema->label;
  if (label.type.kind != model.label.kind ||
      label.type.classes() != model.label.classes()) {
    return InvalidArgument("--schema: the model's labels are " +
                           std::string(KindText(model.label.kind)) +
                           ", those of this schema are others");
  }
  if (!params.label.empty()) label.column = params.label;
  return label;
}

// Reads columns as the model does, and the label as the table calls it.
Status UseModel(const PublishedModel& model, ReaderParams& params) {
  SOTTO_TRY_ASSIGN(auto label, ChooseLabel(model, params));
  if (params.encoding.schema && model.encoding.schema) {
    SOTTO_TRY(CheckSame(*model.encoding.schema, *params.encoding.schema));
  }
  params.encoding = model.encoding;
  params.limits = model.limits;
  if (params.encoding.schema) {
    params.encoding.schema->label = std::move(label);
    return Ok();
  }
  if (label.type.kind != LabelType::Kind::kTwo) {
    return InvalidArgument("classes and numbers as labels need a schema");
  }
  if (params.format == StreamFormat::kCsv) params.label = label.column;
  if (!params.labels && label.type.names.size() == 2) {
    params.labels = std::pair(label.type.names[0], label.type.names[1]);
  }
  return Ok();
}

// Columns without a schema go by their places: they must be the model's.
Status CheckColumns(const PublishedModel& model, const ExampleReader& reader) {
  const std::vector<std::string>& found = reader.encoding().columns();
  if (model.encoding.schema || found.empty()) return Ok();
  if (found.size() != reader.encoding().dense()) {
    return InvalidArgument("this model was made without a schema, for " +
                           std::to_string(reader.encoding().dense()) +
                           " features by their places; these rows have " +
                           std::to_string(found.size()));
  }
  if (model.columns.empty() || found == model.columns) return Ok();
  return InvalidArgument("the model's columns are " + ShownList(model.columns) +
                         "; those of this file are " + ShownList(found));
}

}  // namespace

Result<TablePredictor> TablePredictor::Open(const PublishedModel& model,
                                            const TableSource& source,
                                            bool with_labels) {
  SOTTO_TRY_ASSIGN(auto params, MakeReaderParams(source));
  SOTTO_TRY(UseModel(model, params));
  params.label_optional = true;
  params.may_be_empty = true;
  params.label_reading =
      with_labels ? LabelReading::kLenient : LabelReading::kIgnored;
  SOTTO_TRY_ASSIGN(auto reader, ExampleReader::Open(std::move(params)));
  SOTTO_TRY(CheckColumns(model, reader));
  return TablePredictor(model, std::move(reader));
}

Result<bool> TablePredictor::Next(Row& row) {
  SOTTO_TRY_ASSIGN(const auto more, reader_.Next(round_));
  row = {};
  if (!more || !round_.present()) return more;
  row.answer = model_->predict(round_.x);
  row.y = round_.y;
  return true;
}

}  // namespace sotto
