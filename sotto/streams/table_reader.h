#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sotto/base/result.h"
#include "sotto/streams/input.h"
#include "sotto/streams/line_io.h"
#include "sotto/streams/row_fault.h"

namespace sotto {

// The fields of a csv file, row by row, as text: for whoever builds columns of
// their own. Gzip, quotes, byte-order mark and CRLF are dealt with; fields are
// trimmed.
//
//   auto table = TableReader::Open({.path = "mushroom.csv", .header = false});
//   std::span<const std::string_view> row;
//   while (true) {
//     const auto more = table->Next(row);
//     if (!more) return more.error();   // names file and line
//     if (!*more) break;
//     row[*table->Find("c2")] ...       // valid until the next call
//   }
//
// Threads: not thread-safe.
class TableReader {
 public:
  struct Params {
    std::string path = {};  // "-" is standard input
    bool header = true;     // otherwise the columns are c1, c2, ...
    bool skip_bad = false;
    InputParams input = {};
  };

  // Reads the header, or looks at the first row to count the columns. Fails
  // with kInvalidArgument if the file cannot be opened, is empty, or has two
  // columns of one name.
  static Result<TableReader> Open(Params params);

  const std::vector<std::string>& columns() const { return columns_; }
  std::optional<std::size_t> Find(std::string_view column) const;
  // False at the end. Every row has columns().size() fields. Blank lines are
  // passed over.
  Result<bool> Next(std::span<const std::string_view>& fields);
  // "data.csv, line 17", of the row that Next gave last.
  std::string position() const;
  const SkipCounts& skipped() const { return skipped_; }

 private:
  TableReader() = default;

  Params params_;
  std::unique_ptr<LineReader> lines_;
  std::vector<std::string> columns_;
  std::optional<std::string>
      first_row_;     // read to count columns, not yet given
  std::string held_;  // what the fields of that row point into
  std::vector<std::string_view> fields_;
  std::string unquoted_;
  SkipCounts skipped_;
};

}  // namespace sotto
