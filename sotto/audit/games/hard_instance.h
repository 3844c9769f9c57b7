#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sotto/audit/games/rules.h"
#include "sotto/random/rng.h"

namespace sotto {

// A stream that is hard for a monitor, with the monitor's behaviour on it.
struct HardInstance {
  std::vector<bool> ones;             // D^(k), positions from 0
  std::vector<std::size_t> inserted;  // the positions, in order of insertion
  std::size_t last = 0;               // l: all ones come before it
  double halts_on_zeros = 0;          // estimates: Pr[halt | 0^T]
  double halts_in_time = 0;           // Pr[halt by l | D^(k)]

  // The two streams D^(i-1) and D^(i) as moves of a game, up to and with `last`
  // and a little beyond. Requires i < inserted.size().
  std::vector<Move<std::int64_t>> Neighbours(std::size_t i) const {
    std::vector<bool> now(ones.size(), false);
    for (std::size_t j = 0; j < i; ++j) now[inserted[j]] = true;
    std::vector<Move<std::int64_t>> moves;
    for (std::size_t t = 0; t < ones.size(); ++t) {
      moves.push_back(t == inserted[i]
                          ? Challenge(std::int64_t{0}, std::int64_t{1})
                          : Same(std::int64_t{now[t] ? 1 : 0}));
    }
    return moves;
  }
};

namespace internal {

// Counts at which step a monitor halted.
template <typename Fresh>
std::vector<std::uint64_t> HaltingTimes(const std::vector<bool>& ones,
                                        std::size_t until, int samples,
                                        const Fresh& fresh, Rng& rng) {
  std::vector<std::uint64_t> halts(ones.size(), 0);
  for (int i = 0; i < samples; ++i) {
    auto monitor = fresh();
    for (std::size_t t = 0; t < until; ++t) {
      const auto answer = monitor.Step(ones[t] ? 1 : 0, rng);
      if (!answer) break;
      if (*answer == 0) continue;
      ++halts[t];
      break;
    }
  }
  return halts;
}

inline std::uint64_t Sum(const std::vector<std::uint64_t>& counts,
                         std::size_t from, std::size_t to) {
  std::uint64_t sum = 0;
  for (std::size_t t = from; t < to; ++t) sum += counts[t];
  return sum;
}

}  // namespace internal

// [Counters] Algorithm 1, against a monitor that can be run repeatedly: k ones
// over T = 2^(k+1) - 2 steps, each at the place where a halt is least likely.
// `fresh()` makes a monitor whose Step returns 0 (below) or 1 (above).
// Estimates replace probabilities: any choice of halves is a valid instance, so
// noise in them costs power, not soundness.
//
// Threads: pure function.
template <typename Fresh>
HardInstance BuildHardInstance(int k, int samples, const Fresh& fresh,
                               Rng& rng) {
  HardInstance hard;
  const std::size_t steps = (std::size_t{2} << k) - 2;
  hard.ones.assign(steps, false);
  const auto share = [samples](std::uint64_t hits) {
    return static_cast<double>(hits) / samples;
  };
  hard.halts_on_zeros = share(internal::Sum(
      internal::HaltingTimes(hard.ones, steps, samples, fresh, rng), 0, steps));
  std::size_t low = 0;
  std::size_t high = steps;  // exclusive
  for (int i = 0; i < k && low < high; ++i) {
    const std::size_t middle = (low + high) / 2;
    const auto halts =
        internal::HaltingTimes(hard.ones, high, samples, fresh, rng);
    const bool left =
        internal::Sum(halts, low, middle) < internal::Sum(halts, middle, high);
    const std::size_t place = left ? low : middle;
    hard.ones[place] = true;
    hard.inserted.push_back(place);
    low = place + 1;
    if (left) high = middle;
  }
  hard.last = std::min(low, steps);
  hard.halts_in_time = share(internal::Sum(
      internal::HaltingTimes(hard.ones, hard.last, samples, fresh, rng), 0,
      hard.last));
  return hard;
}

}  // namespace sotto
