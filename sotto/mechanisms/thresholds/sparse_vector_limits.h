#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "sotto/accounting/rounding.h"
#include "sotto/random/fixed_work_geometric.h"
#include "sotto/random/fixed_work_laplace.h"

namespace sotto {

// Limits of all threshold tests: the range of their integers, the number of
// rounds they answer, and the delta added for the samplers' distance from the
// exact distributions.
//
// Proof: sparse_vector.md, steps 1 and 2.

// Answer that is charged, and counted until the halt.
enum class Charge { kAbove, kBelow };

enum class ThresholdAnswer { kBelow, kAbove, kHalted };

// Queries are clamped to [-kQueryLimit, kQueryLimit], which no noise can leave
// again; thresholds are refused outside.
inline constexpr std::int64_t kQueryLimit = std::int64_t{1} << 60;

inline std::int64_t ClampQuery(std::int64_t value) {
  return std::clamp(value, -kQueryLimit, kQueryLimit);
}

// Rounds after which a test halts although its reports are not used up: the
// guarantee covers the draws of this many rounds. At 50 ns each, 300 days.
inline constexpr std::uint64_t kMaxThresholdRounds = std::uint64_t{1} << 49;
// At most four draws a round (two tests, two noises each).
inline constexpr int kCoveredDrawsLog2 = 51;

inline constexpr double kMaxThresholdEpsilon = 16;
inline constexpr std::int64_t kMaxReports = std::int64_t{1} << 32;

// (1 + e^epsilon) * draws * 2^-100, rounded up: what to add to the delta that
// holds for exact samplers.
inline double SamplerSlack(double epsilon) {
  static_assert(FixedWorkLaplace::TotalVariationLog2() >= 100 &&
                FixedWorkGeometric::TotalVariationLog2() >= 100);
  const double both_sides = InflateUp(1 + std::exp(epsilon), 0x1p-50);
  return std::ldexp(both_sides, kCoveredDrawsLog2 - 100);
}

}  // namespace sotto
