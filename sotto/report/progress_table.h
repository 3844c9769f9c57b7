#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sotto/base/label.h"
#include "sotto/base/result.h"
#include "sotto/online/run_stats.h"

namespace sotto {

// The table a run prints while it goes, as Vowpal Wabbit does: a row after 1,
// 2, 4, 8, ... rounds, or as the user wants it. Marked as the operator's own
// view, or, for the public, without what only the operator may see. When rows
// come depends on the number of rounds alone.
//
//   auto table = ProgressTable::Create({.every = "2.0"}, stats.now);
//   Print(table->Header());
//   session.Watch([&](const Round& round) {
//     if (table->Due(stats.now)) Print(table->Row(stats.now, round.phase));
//   });
//
// Threads: not thread-safe.
class ProgressTable {
 public:
  struct Params {
    // N: a row every N rounds; a number with a point: by this factor.
    std::string every = "2.0";
    LabelType label = {};
    bool public_only = false;
    bool counted = true;  // with public_only: there is a private count
  };

  // `start` is where a resumed run is. Fails with kInvalidArgument.
  static Result<ProgressTable> Create(Params params,
                                      const RunStats::Point& start);

  std::string Header() const;
  bool Due(const RunStats::Point& now) const { return now.rounds >= next_; }
  std::string Row(const RunStats::Point& now, std::uint64_t phase);
  // A last row, or nothing if it has just been printed.
  std::string Last(const RunStats::Point& now, std::uint64_t phase);

 private:
  explicit ProgressTable(Params params) : params_(std::move(params)) {}
  std::string PublicCells(const RunStats::Point& now) const;
  std::string OperatorCells(const RunStats::Point& now) const;
  double Cost(const RunStats::Point& point) const;
  void Advance(std::uint64_t rounds);

  Params params_;
  std::uint64_t step_ = 0;  // or
  double factor_ = 0;
  std::uint64_t next_ = 1;
  RunStats::Point last_;
};

}  // namespace sotto
