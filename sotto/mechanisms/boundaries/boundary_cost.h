#pragma once

#include <cstdint>

#include "sotto/accounting/guarantee.h"
#include "sotto/accounting/renyi.h"
#include "sotto/base/result.h"

namespace sotto {

// Rounds of the public clock between two checks of the Stoppers of all sides. A
// check comes at the beginning of a round. A check in every round would cost as
// much noise as the answer; 16 more mediums are few beside the limit.
inline constexpr std::int64_t kRoundsPerCheck = 16;

// Parameters of one copy of the threshold test over one boundary set.
struct SideNoise {
  double rate = 0;  // e0: of the discrete Laplace noise on counts
  // A noisy count n is low if n <= low, high if n >= high, else medium.
  std::int64_t low = 0;
  std::int64_t high = 0;
  std::int64_t size = 0;   // m, of the boundary set
  std::int64_t limit = 0;  // r: mediums before the Stopper halts, about
  double stopper = 0;      // e_s
  // B: rounds between two checks. Differs from kRoundsPerCheck only in tests of
  // the accounting.
  std::int64_t rounds_per_check = kRoundsPerCheck;

  friend bool operator==(const SideNoise&, const SideNoise&) = default;
};

// kInvalidArgument unless a copy can be made of it: 2^-30 <= rate <= 64,
// 0 <= low, low + 1 < high <= size <= 2^40, 1 <= limit <= 2^40,
// 2^-20 <= stopper <= 16.
Status Validate(const SideNoise& noise);

// The log-moments of one copy whose data differ by one record, the Stopper's
// hidden limit averaged over: (r + B - 1) ln R + ln E[R^rho].
// Proof: boundaries.md, step 3. Requires a valid copy.
RenyiCurve CopyCurve(const SideNoise& noise);

// Delta at `epsilon` of what one record can touch, for `sides` sides, rounded
// up (boundaries.md, steps 4 to 6). Requires valid copies of equal `stopper` in
// each phase.

// A training record: all copies of the first phase.
double TrainingDelta(const SideNoise& initial, std::uint32_t sides,
                     double epsilon);
// A query of a phase with `recycled` copies, where the next phase begins with
// `next`. kAddRemove: the larger of two cases; kReplace: of their sum and of
// two mediums on different sides.
double QueryDelta(const SideNoise& recycled, const SideNoise& next,
                  std::uint32_t sides, Relation relation, double epsilon);
// The part of QueryDelta that does not depend on the next phase.
double MediumDelta(const SideNoise& recycled, std::uint32_t sides,
                   Relation relation, double epsilon);

// Slack that the samplers' distance from the exact distributions adds to
// either: all noise of two phases of `rounds` rounds together.
double BoundarySlack(std::uint64_t rounds, std::uint32_t sides, double epsilon);

}  // namespace sotto
