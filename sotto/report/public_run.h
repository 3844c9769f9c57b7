#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sotto/report/run_report.h"

namespace sotto {

// The public part of the rounds of a run. All public output, in a table, a
// report or a page, is written from this and RunFacts; nothing else is at hand
// there.
//
// Proof: report.md, next to this file: each member is a function of the public
//        transcript.
struct PublicRun {
  struct Point {
    std::uint64_t rounds = 0;
    std::int64_t mistakes = 0;  // the private estimate
    friend bool operator==(const Point&, const Point&) = default;
  };
  struct Mistakes {
    Point now;
    std::vector<Point> trace;
    double error = 0;
    std::uint64_t counted = 0;
    friend bool operator==(const Mistakes&, const Mistakes&) = default;
  };

  std::uint64_t rounds = 0;  // of the public clock, empty ones included
  std::uint64_t phases = 1;
  std::vector<std::uint64_t> phase_ends;  // rounds before each
  std::optional<std::uint64_t> halted_at;
  std::optional<Mistakes> mistakes;  // absent: there is no private count
  bool interrupted = false;

  friend bool operator==(const PublicRun&, const PublicRun&) = default;
};

PublicRun PublicPart(const RunReport& report);

}  // namespace sotto
