#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sotto/base/result.h"
#include "sotto/data/streams/row_error.h"
#include "sotto/data/streams/table_reader.h"
#include "sotto/data/tables/table_source.h"
#include "sotto/models/fits/greedy_cover/cover_columns.h"
#include "sotto/models/fits/greedy_cover/decision_list.h"
#include "sotto/online/model_entry.h"

namespace sotto {

// Opens a csv table. Its columns are public: from the header, or without one
// from `names`, if they are all of c1, c2, ..., or the number that the source
// says. Fails with kInvalidArgument.
Result<TableReader> OpenCoverTable(const TableSource& source,
                                   const std::vector<std::string>& names,
                                   bool may_be_empty);

// A table as a cover model reads it: the columns it knows, in its order, and
// perhaps the label. It is read once, so it may be a pipe.
//
//   auto table = CoverTable::Of(*std::move(reader), params, columns);
//   if (!table) return table.error();
//   return table->ForEach([&](const CoverTable::Row& row) { return Use(row);
//       });
//
// Threads: not thread-safe.
class CoverTable {
 public:
  struct Params {
    std::string name;               // of the file, for errors
    std::string label_column = {};  // empty: labels are not looked at
    DecisionList::LabelNames labels;
    // The labels must be there, the column and its fields.
    bool needs_labels = false;
    // A row that cannot be used is an empty one, instead of an error.
    bool skip_bad = false;
    // Where the names of users are; absent: rows have none.
    std::optional<std::size_t> user = {};
  };
  // Nothing to see in a row that is absent or bad, but for the name.
  struct Row {
    bool usable = false;
    std::span<const double> x = {};
    std::optional<bool> y = {};
    std::string user = {};
    std::string bad = {};  // place and reason of a bad row
  };
  using Take = std::function<Status(const Row& row)>;

  // `columns` must outlive it. Fails with kInvalidArgument if the table lacks a
  // column. One without any is a table without rows.
  static Result<CoverTable> Of(TableReader reader, Params params,
                               const CoverColumns& columns);

  // All rows, in order. Fails with kInvalidArgument, naming line and column, or
  // as `take` does.
  Status ForEach(const Take& take);
  // Rows that could not be used; private, like every count of rows.
  const SkipCounts& skipped() const { return skipped_; }

 private:
  CoverTable(TableReader reader, Params params, const CoverColumns& columns)
      : reader_(std::move(reader)),
        params_(std::move(params)),
        columns_(&columns) {}
  using Fields = std::span<const std::string_view>;
  Status FindColumns();
  Result<bool> Label(std::string_view field) const;
  Result<bool> Next(std::vector<double>& x, Row& row);
  // False where the row cannot be used, and a fault that says why.
  bool Read(Fields fields, std::vector<double>& x, std::optional<bool>& y,
            RowError& fault) const;

  TableReader reader_;
  Params params_;
  const CoverColumns* columns_;
  std::vector<std::size_t> places_;
  std::optional<std::size_t> label_;
  SkipCounts skipped_;
};

}  // namespace sotto
