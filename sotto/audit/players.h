#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include "sotto/base/result.h"
#include "sotto/mechanisms/thresholds/sparse_vector_limits.h"
#include "sotto/random/rng.h"

namespace sotto {

// Mechanisms as players of games: integers in, public outputs out.
//
// Threads: not thread-safe.

// Threshold tests: 1 is "above", 0 "below". The mechanism's halt ends the game.
template <typename Test>
class ThresholdPlayer {
 public:
  explicit ThresholdPlayer(Test test) : test_(std::move(test)) {}

  Result<std::int64_t> Step(std::int64_t value, Rng& rng) {
    return test_.Test(value, rng) == ThresholdAnswer::kAbove ? 1 : 0;
  }
  bool halted() const { return test_.halted(); }

 private:
  Test test_;
};

// -1 is "low", 1 "high"; an answer in the band is 10 and the noisy value.
template <typename Test>
class BandPlayer {
 public:
  BandPlayer(Test test, std::int64_t low) : test_(std::move(test)), low_(low) {}

  Result<std::int64_t> Step(std::int64_t value, Rng& rng) {
    const typename Test::Answer answer = test_.Test(value, rng);
    switch (answer.zone) {
      case Test::Zone::kLow:
        return -1;
      case Test::Zone::kHigh:
        return 1;
      default:
        return 10 + answer.noisy - low_;
    }
  }
  bool halted() const { return test_.halted(); }

 private:
  Test test_;
  std::int64_t low_;
};

// The count of a round. A user's adversary may send anything.
inline Result<std::uint32_t> CountMembers(std::int64_t count) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  if (count >= 0 && count <= kMost) return static_cast<std::uint32_t>(count);
  return InvalidArgument("a count is a whole number from 0 to " +
                         std::to_string(kMost));
}

// Stoppers: 1 in the round of the halt.
template <typename Stop>
class StopperPlayer {
 public:
  explicit StopperPlayer(Stop stopper) : stopper_(std::move(stopper)) {}

  Result<std::int64_t> Step(std::int64_t added, Rng& rng) {
    SOTTO_TRY_ASSIGN(const auto count, CountMembers(added));
    return stopper_.Advance(count, rng) ? 1 : 0;
  }
  bool halted() const { return stopper_.halted(); }

 private:
  Stop stopper_;
};

// Counters: the estimate of every step.
template <typename Counter>
class CounterPlayer {
 public:
  explicit CounterPlayer(Counter counter) : counter_(std::move(counter)) {}

  Result<std::int64_t> Step(std::int64_t added, Rng& rng) {
    SOTTO_TRY_ASSIGN(const auto count, CountMembers(added));
    return counter_.Add(count, rng);
  }
  bool halted() const { return false; }

 private:
  Counter counter_;
};

// Mirrors: 1 is "top".
template <typename M>
class MirrorPlayer {
 public:
  explicit MirrorPlayer(M mirror) : mirror_(std::move(mirror)) {}

  Result<std::int64_t> Step(std::int64_t bit, Rng& rng) {
    return mirror_.Next(bit != 0, rng) ? 1 : 0;
  }
  bool halted() const { return false; }

 private:
  M mirror_;
};

}  // namespace sotto
