#pragma once

#include <cstdint>
#include <vector>

#include "sotto/base/result.h"

namespace sotto {

// The thresholds of a ramp: the c-th one of the ramp is answered "top" with
// probability ramp[c] / 2^64, the ones after the ramp always. They rise
// strictly and the first is positive.
using SoftRamp = std::vector<std::uint64_t>;

// The hockey-stick divergences at e^epsilon between the answers after a hidden
// one and after a hidden zero, certified from above.
struct SoftRampDeltas {
  double one_over_zero = 0;
  double zero_over_one = 0;
};

// The answers are independent coins, so the divergence is that of two product
// distributions. They are convolved on a grid of `cells_per_epsilon` cells per
// epsilon; every rounding makes the pair easier to tell apart (soft_mirror.md,
// step 3).
//
//   auto deltas = ComputeDelta(ramp, 0.5, /*cells_per_epsilon=*/1000);
//
// Fails with kInvalidArgument unless the ramp rises strictly from above 0, has
// at most 2^22 coins, epsilon is in [0.05, 10] and there are 10 to 10^5 cells.
// Cost: (coins) * (about 5 cells_per_epsilon), twice.
// Threads: pure.
Result<SoftRampDeltas> ComputeDelta(const SoftRamp& ramp, double epsilon,
                                    int cells_per_epsilon);

}  // namespace sotto
