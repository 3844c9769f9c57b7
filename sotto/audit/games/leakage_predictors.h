#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>

#include "sotto/audit/games/leakage_game.h"
#include "sotto/base/result.h"
#include "sotto/random/rng.h"

namespace sotto {

// Predictors that leak, for the leakage attack to find.
//
// Threads: not thread-safe.

// No vote and no noise: memorizes, and predicts 1 from the smallest labelled
// point on.
struct LearnsByHeart {
  std::uint64_t least = kLeakagePoints;

  Result<std::int64_t> Step(const LeakageInput& input, Rng&) {
    if (input.label) least = std::min(least, input.point);
    return input.point >= least ? 1 : 0;
  }
};

// [PERP] Fact 3.5, as a predictor: in each round it decides, with probability
// delta(i), to output the digits of its point from then on. A round costs (0,
// delta(i)), and it outputs nothing else.
struct SpeaksRarely {
  std::function<double(double)> delta;
  double round = 0;
  std::optional<std::uint64_t> spoken = {};
  int digit = kLeakageDigits;

  Result<std::int64_t> Step(const LeakageInput& input, Rng& rng) {
    if (!input.label) {
      if (!spoken || digit == 0) return 0;
      return static_cast<std::int64_t>(*spoken >> --digit & 1);
    }
    const double coin = static_cast<double>(rng.Next() >> 11) * 0x1p-53;
    if (!spoken && coin < delta(++round)) spoken = input.point;
    return 0;
  }
};

}  // namespace sotto
