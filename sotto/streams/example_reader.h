#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "sotto/base/result.h"
#include "sotto/streams/encoding.h"
#include "sotto/streams/example.h"
#include "sotto/streams/input.h"
#include "sotto/streams/line_io.h"
#include "sotto/streams/row_fault.h"
#include "sotto/streams/row_format.h"
#include "sotto/streams/stream_format.h"

namespace sotto {

// Examples from a file or standard input, one at a time, in bounded memory.
//
//   auto reader = ExampleReader::Open({.path = "stream.csv.gz"});
//   if (!reader) return reader.error();
//   Example example;
//   while (true) {
//     const auto more = reader->Next(example);
//     if (!more) return more.error();   // file, line, column, what was
//     expected if (!*more) break;
//     ... example.x, example.y, example.user ...
//   }
//
// The formats and the encoding are described in docs/formats/streams.md.
// Threads: not thread-safe.
class ExampleReader {
 public:
  struct Params {
    std::string path = {};                    // "-" is standard input
    std::optional<StreamFormat> format = {};  // absent: by the file's ending
    bool header = true;      // csv: otherwise columns c1, c2, ...
    std::string label = {};  // csv: column; "" is the schema's or y
    std::string user = {};   // csv: column; "" is user, if any
    // csv: a file without the label column is one without labels.
    bool label_optional = false;
    // The strings that mean 0 and 1; absent: the schema's, or 0/1, -1/+1,
    // true/false.
    std::optional<std::pair<std::string, std::string>> labels = {};
    EncodingParams encoding = {};
    // A feature of larger magnitude is a fault, unless it is a bucket, where
    // values may add up.
    std::optional<double> max_magnitude = {};
    bool skip_bad = false;
    InputParams input = {};
  };

  // Opens the file and, for csv, reads the header: the dimension is fixed from
  // then on. Fails with kInvalidArgument.
  static Result<ExampleReader> Open(Params params);

  // Reads the next example into `example`, whose memory is reused. False at the
  // end. After a bad row (kInvalidArgument) reading may go on; after a failure
  // to read or to unpack it may not. With skip_bad rows that are bad are left
  // out whole, and counted.
  Result<bool> Next(Example& example);

  // The public dimension: every index is below it.
  std::uint32_t features() const { return rows_->encoding().features(); }
  const Encoding& encoding() const { return rows_->encoding(); }
  // "stream.csv, line 17", of the row that Next read last.
  std::string position() const;
  std::uint64_t line_number() const { return lines_->line_number(); }
  const SkipCounts& skipped() const { return skipped_; }

 private:
  ExampleReader() = default;
  bool TooLarge(const Example& example);

  std::string name_;
  std::optional<double> max_magnitude_;
  bool skip_bad_ = false;
  std::unique_ptr<LineReader> lines_;
  std::unique_ptr<RowFormat> rows_;
  std::optional<std::string> first_row_;  // read by Open, not yet given
  RowFault fault_;
  SkipCounts skipped_;
};

}  // namespace sotto
