#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>

#include "run_tally.h"
#include "sotto/base/result.h"

namespace sotto::app {

// The table a run prints while it goes, as Vowpal Wabbit does: a row after 1,
// 2, 4, 8, ... rounds, or as the user wants it. Marked as the operator's own
// view, or, for the public, without what only the operator may see.
//
// Threads: not thread-safe.
class ProgressTable {
 public:
  struct Params {
    std::FILE* out = nullptr;  // nullptr: nothing is printed
    // N: every so many rounds; a number with a point: by this factor.
    std::string every = "2.0";
    bool public_only = false;
  };

  // `start` is where a resumed run is. Fails with kInvalidArgument.
  static Result<ProgressTable> Create(Params params,
                                      const RunTally::Point& start);

  void Header();
  // A row, if one is due.
  void Row(const RunTally::Point& now, std::uint64_t phase) {
    if (now.rounds >= next_) Print(now, phase);
  }
  // A last row, unless it has just been printed.
  void Last(const RunTally::Point& now, std::uint64_t phase);

 private:
  explicit ProgressTable(Params params) : params_(std::move(params)) {}
  void Print(const RunTally::Point& now, std::uint64_t phase);
  void PrintPublic(const RunTally::Point& now);
  void PrintOwn(const RunTally::Point& now);
  void Advance(std::uint64_t rounds);

  Params params_;
  std::uint64_t step_ = 0;  // or
  double factor_ = 0;
  std::uint64_t next_ = 1;
  RunTally::Point last_;
};

// On a terminal, and if asked for, a line that says how far the run is.
class ProgressLine {
 public:
  ProgressLine(bool shown, std::uint64_t horizon)
      : shown_(shown), horizon_(horizon) {}
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void Tick(std::uint64_t rounds);

 private:
  bool shown_;
  bool printed_ = false;
  std::uint64_t horizon_;
  std::int64_t last_ = 0;  // milliseconds
};

}  // namespace sotto::app
