#pragma once

#include <cstdint>
#include <vector>

#include "sotto/accounting/stopped_process.h"
#include "sotto/base/result.h"

namespace sotto {

// The exact worst case of a stopped process over all adaptive adversaries,
// certified from above: 7 to 20 % less noise than the Renyi bound of
// stopped_process.h needs.
//
//   auto exact = ExactStoppedDelta({.rate = 1 / 28.7, .targets = 10}, 1.0);
//   if (!exact) return exact.error();
//   Use(exact->delta);                       // 9.9123e-07, never too small
//
// Guarantee: (epsilon, delta) for the adversaries and neighbours of
//            stopped_process.h, both directions, any number of rounds.
// Proof:     stopped_process_exact.md, next to this file.
// Cost:      about 10 ns per target and position of the lattice of losses, of
//            which there are roughly epsilon / rate + 6 sqrt(2 targets). Past
//            kMaxExactWork the call is refused; use the Renyi bound there.
// Threads:   pure functions.
inline constexpr double kMaxExactWork = 1e9;  // targets * positions

struct ExactDelta {
  double delta = 1;  // certified: at least the supremum
  double lower = 0;  // value of one strategy, up to rounding
};

// All of these fail with kInvalidArgument on parameters out of range or past
// kMaxExactWork, and with kNotConverged if the certified value stays more than
// 1e-4 (relative) above the value of a strategy. `epsilon` may be negative:
// compositions need such points of the curve.
Result<ExactDelta> ExactStoppedDelta(const StoppedProcess& process,
                                     double epsilon);

// delta at `epsilon` for 0, 1, ..., process.targets targets.
Result<std::vector<double>> ExactStoppedDeltas(const StoppedProcess& process,
                                               double epsilon);

// The least epsilon >= 0 for `delta`, to within about 1e-4 * rate, safe side.
Result<double> ExactStoppedEpsilon(const StoppedProcess& process, double delta);

// The largest rate that meets the target, to within 0.1 %, safe side.
Result<StoppedProcess> ExactLeastNoise(const StoppedProcessTarget& target);

}  // namespace sotto
