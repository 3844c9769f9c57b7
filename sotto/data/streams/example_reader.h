#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sotto/base/label.h"
#include "sotto/base/result.h"
#include "sotto/base/round.h"
#include "sotto/data/streams/encoding.h"
#include "sotto/data/streams/input.h"
#include "sotto/data/streams/label_parser.h"
#include "sotto/data/streams/line_io.h"
#include "sotto/data/streams/row_error.h"
#include "sotto/data/streams/row_format.h"
#include "sotto/data/streams/stream_format.h"

namespace sotto {

// How a stream is read: what the user says of it, and what the model needs.
struct ReaderParams {
  std::string path = {};                    // "-" is standard input
  std::optional<StreamFormat> format = {};  // absent: by the file's ending
  bool header = true;  // csv: otherwise columns c1, c2, ...
  // csv without a header: how many columns. Absent: the schema's, if it names
  // them all.
  std::optional<std::uint32_t> columns = {};
  std::string label = {};  // csv: column; "" is the schema's or y
  std::string user = {};   // csv: column; "" is user, if any
  // csv: a file without the label column is one without labels.
  bool label_optional = false;
  // csv: a file without a byte in it is a table without rows, if a schema names
  // the columns.
  bool may_be_empty = false;
  LabelReading label_reading = LabelReading::kStrict;
  // The strings that mean 0 and 1; absent: what the schema says of the label,
  // or 0/1, -1/+1, true/false.
  LabelWords labels = {};
  EncodingParams encoding = {};
  ValueLimits limits = {};
  // A bad row is an unusable round instead of an error.
  bool skip_bad = false;
  // Bad rows whose places are noted in skipped().
  std::size_t named_places = 5;
  // Errors about a row say where it is and what was expected, but quote
  // nothing of it; skipped() notes no places.
  bool quiet_faults = false;
  InputParams input = {};
};

// Rounds from a file or standard input, one a line, in bounded memory.
//
//   auto reader = ExampleReader::Open({.path = "stream.csv.gz"});
//   if (!reader) return reader.error();
//   Round round;
//   while (true) {
//     const auto more = reader->Next(round);
//     if (!more) return more.error();  // file, line, column, what was expected
//     if (!*more) break;
//     ... round.presence, round.x, round.y, round.user ...
//   }
//
// Every line is one round: present, absent (a blank line, say) or unusable.
// The formats and the encoding are described in docs/formats/streams.md.
// Threads: not thread-safe.
class ExampleReader {
 public:
  using Params = ReaderParams;

  // Opens the file and, for csv, reads the header: the dimension is fixed from
  // then on. Fails with kInvalidArgument.
  static Result<ExampleReader> Open(Params params);

  // Reads the next line into `round`, whose memory is reused. False at the end.
  //
  // A row that cannot be used makes the round unusable: x is empty, y absent,
  // and the user's name is there if it can be read, whatever else is wrong. It
  // is counted. Unless rows are skipped it is also an error (kInvalidArgument),
  // after which reading may continue, `round` being the unusable one; after a
  // failure to read or to unpack it may not, and can_go_on() is false.
  Result<bool> Next(Round& round);
  bool can_go_on() const { return lines_->status().has_value(); }

  // The public dimension: every index is below it.
  std::uint32_t features() const { return rows_->encoding().features(); }
  const Encoding& encoding() const { return rows_->encoding(); }
  const LabelType& label_type() const { return rows_->label().parser.type(); }
  const std::string& label_name() const { return rows_->label().name; }
  // public_inputs.h.
  std::vector<std::string> FeatureNames() const;
  std::string input_fingerprint() const;

  // "stream.csv, line 17", of the row that Next read last.
  std::string position() const;
  std::uint64_t line_number() const { return lines_->line_number(); }
  // The bad rows so far. For the operator only.
  const SkipCounts& skipped() const { return skipped_; }

 private:
  ExampleReader() = default;
  bool Parse(std::string_view line, Round& round);

  std::string name_;
  ValueLimits limits_;
  bool skip_bad_ = false;
  bool quiet_faults_ = false;
  std::size_t named_places_ = 0;
  std::unique_ptr<LineReader> lines_;
  std::unique_ptr<RowFormat> rows_;
  RowError fault_;
  SkipCounts skipped_;
};

}  // namespace sotto
