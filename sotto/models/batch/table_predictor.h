#pragma once

#include <cstdint>
#include <optional>

#include "sotto/base/label.h"
#include "sotto/base/result.h"
#include "sotto/base/round.h"
#include "sotto/data/streams/example_reader.h"
#include "sotto/data/tables/table_source.h"
#include "sotto/models/batch/published_model.h"

namespace sotto {

// Predictions of a published model for the rows of a table, in any format.
//
//   auto table = TablePredictor::Open(model, {.path = "table.csv"}, true);
//   TablePredictor::Row row;
//   while (true) {
//     const auto more = table->Next(row);
//     if (!more) return more.error();        // file, line, column
//     if (!*more) break;
//     if (row.answer) ... table->label().Name(row.answer->prediction), row.y
//   }
//
// Columns are read as the model's file says. The labels of the table are those
// of the source, or of its schema, or of the model. An unknown label is read as
// a missing one and counted.
//
// Threads: not thread-safe.
class TablePredictor {
 public:
  struct Row {
    // Absent for a blank row, and for a bad row that is skipped.
    std::optional<PublishedModel::Answer> answer = {};
    std::optional<Label> y = {};
  };

  // `model` must outlive it. Labels are read only if `with_labels`. Fails with
  // kInvalidArgument for what is public: the header, the schema, the labels.
  static Result<TablePredictor> Open(const PublishedModel& model,
                                     const TableSource& source,
                                     bool with_labels);

  // Reads the next row. False at the end. Fails with kInvalidArgument at a bad
  // row, unless the source skips them.
  Result<bool> Next(Row& row);

  const std::string& label_column() const { return reader_.label_name(); }
  // The labels under the names that the table gives them.
  const LabelType& label() const { return reader_.label_type(); }
  // Rows that were skipped, or used with a note. For the operator only.
  const SkipCounts& skipped() const { return reader_.skipped(); }

 private:
  TablePredictor(const PublishedModel& model, ExampleReader reader)
      : model_(&model), reader_(std::move(reader)) {}

  const PublishedModel* model_;
  ExampleReader reader_;
  Round round_;
};

}  // namespace sotto
