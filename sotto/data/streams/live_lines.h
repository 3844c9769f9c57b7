#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sotto/base/label.h"
#include "sotto/base/result.h"
#include "sotto/base/round.h"
#include "sotto/data/streams/example_reader.h"
#include "sotto/data/streams/jsonl_rows.h"
#include "sotto/data/streams/row_error.h"

namespace sotto {

// One line of a conversation: a round, or the label of an earlier round.
struct LiveLine {
  // The JSON text of "id", to be sent back unchanged; empty: none.
  std::string id = {};
  // A label. A line that starts with {"ticket" is one whatever follows; so is a
  // complete object with that key anywhere. Every other line is a round.
  bool label = false;
  std::string ticket = {};  // of a label; empty: it cannot be read
  // A label has only `y`.
  Round round = {};
};

// Reads lines of two kinds, for programs that learn the label later:
//
//   {"id": "a", "x": {"age": 31}, "user": "u1"}
//   {"ticket": "...", "y": 1}
//
// The first may bring its label along. Features and labels mean what they mean
// in a stream of JSON lines; without features, or on a blank line, the round is
// absent.
//
//   auto lines = LiveLines::Create(params);
//   LiveLine line;
//   RowError fault;
//   if (!lines->Parse(text, line, fault)) ... fault.message, line.id ...
//
// Threads: not thread-safe.
class LiveLines {
 public:
  // Uses only the parameters that say how rows are encoded. Fails with
  // kInvalidArgument.
  static Result<LiveLines> Create(const ExampleReader::Params& params);

  // Returns false, and the error, for a bad line: the round is then unusable,
  // with its user's name if that can be read, as are id and ticket.
  // `line.label` depends only on the text, and is right for a bad line, too.
  bool Parse(std::string_view text, LiveLine& line, RowError& fault);
  // The same for a line beyond the length limit, of which only the first part
  // is known: bad, with only its kind.
  void ParseCut(std::string_view start, std::size_t max_line, LiveLine& line,
                RowError& fault);

  const Encoding& encoding() const { return rows_->encoding(); }
  const LabelType& label_type() const { return rows_->label().parser.type(); }
  // public_inputs.h.
  std::vector<std::string> FeatureNames() const;
  std::string input_fingerprint() const;

 private:
  LiveLines(std::unique_ptr<JsonlRows> rows, ValueLimits limits)
      : rows_(std::move(rows)), limits_(std::move(limits)) {}

  std::unique_ptr<JsonlRows> rows_;
  ValueLimits limits_;
};

}  // namespace sotto
