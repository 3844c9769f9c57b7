#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sotto/base/result.h"
#include "sotto/data/streams/input.h"
#include "sotto/data/streams/line_io.h"
#include "sotto/data/streams/row_error.h"

namespace sotto {

// The fields of a csv file, row by row, as text: for callers that build their
// own columns. Gzip, quotes, byte-order mark and CRLF are dealt with; fields
// are trimmed.
//
//   auto table = TableReader::Open({.path = "adult.csv"});
//   std::span<const std::string_view> row;
//   while (true) {
//     const auto more = table->Next(row);
//     if (!more) return more.error();        // names file and line
//     if (!*more) break;
//     if (row.empty()) ...                   // absent, or cannot be used
//     row[*table->Find("age")] ...           // valid until the next call
//   }
//
// The file is opened once, so it may be a pipe: columns() first, then the rows.
// Threads: not thread-safe.
class TableReader {
 public:
  struct Params {
    std::string path = {};  // "-" is standard input
    bool header = true;
    // Without a header: what the columns are called (columns.h). How many there
    // are is public and never taken from a row.
    std::vector<std::string> columns = {};
    // A file without a byte in it is a table without columns and rows.
    bool may_be_empty = false;
    // A bad row has no fields, instead of being an error.
    bool skip_bad = false;
    // Bad rows whose places are noted in skipped().
    std::size_t named_places = 5;
    // Errors about a row quote nothing of it; skipped() notes no places.
    bool quiet_faults = false;
    InputParams input = {};
  };

  // Reads the header. Fails with kInvalidArgument if the file cannot be opened,
  // has no header but should, or has two columns of one name.
  static Result<TableReader> Open(Params params);

  const std::vector<std::string>& columns() const { return columns_; }
  std::optional<std::size_t> Find(std::string_view column) const;
  // False at the end. Every line is a row. One that is blank or has only empty
  // fields is absent; `fields` is then empty, as for a row that cannot be used.
  // All others have columns().size() fields. After an error about a row
  // (kInvalidArgument) reading may continue if can_go_on().
  Result<bool> Next(std::span<const std::string_view>& fields);
  bool can_go_on() const { return lines_->status().has_value(); }
  // The field in that place of the row that Next gave last, also of a row that
  // cannot be used: CsvFieldAt. Empty if the line was cut.
  std::string FieldAt(std::size_t place) const;
  // "data.csv, line 17", of the row that Next gave last.
  std::string position() const;
  // The operator's own view: rows that could not be used, and absent ones.
  const SkipCounts& skipped() const { return skipped_; }
  std::uint64_t absent() const { return absent_; }

 private:
  TableReader() = default;

  Params params_;
  std::unique_ptr<LineReader> lines_;
  std::vector<std::string> columns_;
  std::string_view line_;  // of the reader of lines, until its next line
  std::vector<std::string_view> fields_;
  std::string unquoted_;
  SkipCounts skipped_;
  std::uint64_t absent_ = 0;
};

}  // namespace sotto
