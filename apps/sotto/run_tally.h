#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sotto/base/bytes.h"
#include "sotto/base/result.h"
#include "stream_model.h"

namespace sotto::app {

// What a run has done so far, counted over all its parts if it was stopped and
// resumed. The operator's own view, but for rounds and phases.
//
// Threads: a value type.
struct RunTally {
  // The counts after so many rounds.
  struct Point {
    std::uint64_t rounds = 0;
    std::uint64_t mistakes = 0;
    std::uint64_t paid = 0;
    std::int64_t shown = 0;  // the private estimate of the mistakes
    friend bool operator==(const Point&, const Point&) = default;
  };

  Point now;
  std::uint64_t labelled = 0;
  std::uint64_t refused = 0;
  std::uint64_t plain_mistakes = 0;  // of the learner that is not private
  std::optional<std::uint64_t> halted_at;
  // About every hundredth part of the way, the first hundred rounds all.
  std::vector<Point> trace;
  std::vector<Point> phase_ends;

  // `shown` is the estimate after this round, if there is one.
  void Add(const Example& example, const RoundOutcome& outcome,
           std::int64_t shown);

  void Save(ByteWriter& writer) const;
  // Fails with kCorruption.
  static Result<RunTally> Load(ByteReader& reader);
};

}  // namespace sotto::app
