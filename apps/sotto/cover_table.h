#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sotto/base/result.h"
#include "sotto/cover/cover_columns.h"
#include "sotto/cover/decision_list.h"
#include "sotto/streams/table_reader.h"

namespace sotto::app {

// A csv file as a cover model reads it: the columns it knows, in its order, and
// perhaps the label.
class CoverTable {
 public:
  struct Params {
    std::string path;
    bool header = true;
    std::string label_column;
    DecisionList::LabelNames labels;
  };
  // A row's numbers, and its label if the file has that column.
  using Take =
      std::function<void(std::span<const double>, std::optional<bool> label)>;

  // Fails with kInvalidArgument if the file lacks a column.
  static Result<CoverTable> Open(Params params, const CoverColumns& columns);

  bool has_label() const { return label_.has_value(); }
  // All rows. Fails with kInvalidArgument, naming line and column.
  Status ForEach(const Take& take);

 private:
  CoverTable(Params params, const CoverColumns& columns, TableReader reader)
      : params_(std::move(params)),
        columns_(&columns),
        reader_(std::move(reader)) {}
  Result<bool> Label(std::string_view field) const;

  Params params_;
  const CoverColumns* columns_;
  TableReader reader_;
  std::vector<std::size_t> places_;
  std::optional<std::size_t> label_;
};

// "neg,pos". Fails with kInvalidArgument unless there are two different words.
Result<DecisionList::LabelNames> ParseLabels(const std::string& text);

// A whole file. Fails with kInvalidArgument and the system's reason.
Result<std::string> ReadText(const std::string& path);

}  // namespace sotto::app
