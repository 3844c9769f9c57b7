#pragma once

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

// One line of a conversation: a user who asks, or the label of an earlier
// round, which is known by its ticket.
struct LiveLine {
  // The JSON text of "id", to be sent back as it is; empty: there was none.
  std::string id = {};
  // Present: `round` has nothing but the label of the round of this ticket.
  std::optional<std::string> ticket = {};
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
  // Of the parameters of a stream only what says how rows are encoded counts.
  // Fails with kInvalidArgument.
  static Result<LiveLines> Create(const ExampleReader::Params& params);

  // False, and the fault, if the line cannot be used: the round is then
  // unusable, with its user's name if that can be read, as are id and ticket.
  // A line without a ticket is a tick of the clock, whatever is wrong with it.
  bool Parse(std::string_view text, LiveLine& line, RowError& fault);

  const Encoding& encoding() const { return rows_->encoding(); }
  const LabelType& label_type() const { return rows_->label().parser.type(); }
  // public_inputs.h.
  std::vector<std::string> FeatureNames() const;
  std::string input_fingerprint() const;

 private:
  LiveLines(std::unique_ptr<JsonlRows> rows, const ValueLimits& limits)
      : rows_(std::move(rows)), limits_(limits) {}

  std::unique_ptr<JsonlRows> rows_;
  ValueLimits limits_;
};

}  // namespace sotto
