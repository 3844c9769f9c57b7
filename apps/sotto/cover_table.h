#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sotto/base/result.h"
#include "sotto/models/greedy_cover/cover_columns.h"
#include "sotto/models/greedy_cover/decision_list.h"
#include "sotto/streams/row_fault.h"
#include "sotto/streams/table_reader.h"

namespace sotto::app {

// A csv file as a cover model reads it: the columns it knows, in its order, and
// perhaps the label.
class CoverTable {
 public:
  // What becomes of a row that cannot be read: an error that names it, nothing,
  // or a row that is the same for all data (BlankRow, with the negative label),
  // so that the number of rows stays what it is.
  enum class BadRow { kFails, kDropped, kBlank };
  struct Params {
    std::string path;
    bool header = true;
    std::vector<std::string> columns = {};  // without a header
    std::string label_column = {};          // empty: labels are not looked at
    DecisionList::LabelNames labels;
    BadRow bad_row = BadRow::kFails;
    // A file without a byte in it is a table without rows.
    bool may_be_empty = false;
  };
  // A row's numbers, and its label if the file has that column.
  using Take =
      std::function<void(std::span<const double>, std::optional<bool> label)>;

  // Fails with kInvalidArgument if the file lacks a column.
  static Result<CoverTable> Open(Params params, const CoverColumns& columns);
  // The same of a file that is open.
  static Result<CoverTable> Read(Params params, TableReader reader,
                                 const CoverColumns& columns);

  bool has_label() const { return label_.has_value() || !reader_; }
  // All rows. Fails with kInvalidArgument, naming line and column.
  Status ForEach(const Take& take);
  // Rows that were dropped or blanked; private, like every count of rows.
  const SkipCounts& skipped() const { return skipped_; }
  // Rows on which there was nothing, dropped or blanked as well.
  std::uint64_t absent() const { return reader_ ? reader_->absent() : 0; }

 private:
  CoverTable(Params params, const CoverColumns& columns)
      : params_(std::move(params)), columns_(&columns) {}
  using Fields = std::span<const std::string_view>;
  Status FindColumns();
  Result<bool> Label(std::string_view field) const;
  // Fills in `row` and `label`. False where the row cannot be read, and a
  // fault that says why.
  bool Read(Fields fields, std::vector<double>& row, std::optional<bool>& label,
            RowFault& fault) const;
  void Blank(std::uint64_t rows, const Take& take) const;

  Params params_;
  const CoverColumns* columns_;
  std::optional<TableReader> reader_;  // absent: an empty file
  std::vector<std::size_t> places_;
  std::optional<std::size_t> label_;
  SkipCounts skipped_;
};

// "neg,pos". Fails with kInvalidArgument unless there are two different words.
Result<DecisionList::LabelNames> ParseLabels(const std::string& text);

// What a wrong and a right row count for, as whole numbers.
struct CoverScore {
  std::uint32_t penalty = 1;
  std::uint32_t reward = 0;
};
// "0" or a fraction such as "1/5". Fails with kInvalidArgument.
Result<CoverScore> ParseReward(const std::string& text);

// A whole file. Fails with kInvalidArgument and the system's reason.
Result<std::string> ReadText(const std::string& path);

}  // namespace sotto::app
