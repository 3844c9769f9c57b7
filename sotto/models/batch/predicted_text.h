#pragma once

#include <string>

#include "sotto/models/batch/batch_model_entry.h"
#include "sotto/models/batch/table_predictor.h"

namespace sotto {

// Tests: the predictions for a table, an exclamation mark behind those that are
// wrong and a question mark for a row without one, or the error.
inline std::string PredictedText(const ModelFileFormat& format,
                                 const Json& json, const TableSource& source,
                                 bool with_labels = true) {
  const auto model = format.read(json);
  if (!model) return model.error().message;
  auto table = TablePredictor::Open(*model, source, with_labels);
  if (!table) return table.error().message;
  std::string text;
  TablePredictor::Row row;
  for (;;) {
    const auto more = table->Next(row);
    if (!more) return more.error().message;
    if (!*more) return text;
    if (!text.empty()) text += ' ';
    text += row.answer ? table->label().Name(row.answer->prediction) : "?";
    const bool wrong = row.answer && row.y && row.answer->prediction != *row.y;
    text += wrong ? "!" : "";
  }
}

}  // namespace sotto
