#pragma once

#include <cstdint>
#include <vector>

#include "sotto/base/bytes.h"

namespace sotto {

// Rounds whose label may still come, on a public clock: a mistake counts at a
// time that everybody knows, `delay` + 1 rounds after its own, and only if the
// hypothesis that made it is still published.
//
//   if (auto due = waiting.PlayEmptyRound(changes); due.counts) ++mistakes;
//   auto round = waiting.Open(changes, point, prediction);
//   waiting.Close(round, y);
//
// Proof:   sotto/models/littlestone/finite_class_learner.md, steps 1 and 2.
// Threads: not thread-safe.
class PendingRounds {
 public:
  // A round that waits for its label.
  struct Round {
    bool prediction = false;
    std::uint64_t index = 0;  // of the public clock
  };
  // The outcome of a round.
  struct Due {
    bool counts = false;  // it was a mistake of the hypothesis of now
    std::uint32_t point = 0;
    bool prediction = false;
  };

  explicit PendingRounds(std::uint64_t delay) : waiting_(delay + 1) {}

  // Starts a round. `change` is the number of the current hypothesis. The round
  // is empty unless Open follows.
  Due PlayEmptyRound(std::uint64_t change);
  // Opens the round that PlayEmptyRound started, about a point of the class.
  Round Open(std::uint64_t change, std::uint32_t point, bool prediction);
  // Opens a round about a point outside the class.
  Round OpenOutside() const {
    return {.prediction = false, .index = clock_ - 1};
  }
  // A round that waits no longer, or never did, is left alone.
  void Close(const Round& round, bool y);

  std::uint64_t clock() const { return clock_; }
  void SetClock(std::uint64_t clock) { clock_ = clock; }
  // All but the clock.
  void Save(ByteWriter& writer) const;
  // False if the state makes no sense for this number of points.
  bool Load(ByteReader& reader, std::size_t points);

 private:
  struct Waiting {
    std::uint64_t change = 0;
    std::uint32_t point = 0;
    bool asked = false;  // about a point of the class
    bool prediction = false;
    bool wrong = false;
  };
  Waiting& Slot(std::uint64_t index) {
    return waiting_[index % waiting_.size()];
  }

  std::uint64_t clock_ = 0;       // public
  std::vector<Waiting> waiting_;  // secret but for their places
};

}  // namespace sotto
