#pragma once

#include <cstdint>

#include "sotto/accounting/stopped_process.h"
#include "sotto/base/result.h"

namespace sotto {

// The privacy cost of a phase of POP for a user of one round: BetweenThresholds
// on the votes, and a one-sided Stopper that ends the phase.
//
//   PopProcess pop{.rate = 0.01, .gap = 100, .targets = 100, .stopper = 0.1};
//   auto cost = PopDelta(pop, 1.0);
//   if (!cost) return cost.error();
//   Use(cost->delta);
//
// Paper:     [POP], with the mechanism and constants of the page below.
// Guarantee: challenge-DP: covers the view of all other users, any number of
// adaptively chosen rounds, one hidden round replaced or absent.
// Proof:     pop_accountant.md, next to this file; its preconditions (public
//            rounds, the band strictly around half the copies, copies that
//            share no data) are the caller's.
// Threads:   value types and pure functions.
struct PopProcess {
  double rate = 0;           // e0 = 1 / scale of the noise on the votes
  std::int64_t gap = 1;      // G, integers in the band
  std::int64_t targets = 1;  // r, the Stopper's threshold
  double stopper = 0;        // e_s
  // Rounds of one user: all hidden, all learned by one copy, in one phase.
  std::int64_t rounds_per_user = 1;
};

// kInvalidArgument unless the band is a valid BetweenThresholds,
// 2^-20 <= stopper <= 64 and 1 <= rounds_per_user <= 2^20.
Status Validate(const PopProcess& process);

struct PopCost {
  double delta = 1;   // the smaller of the two forms, never too small
  double form_a = 1;  // with `late` extra targets and a failure term
  double form_b = 1;  // averaged over the Stopper's threshold; 1 if no proof
  std::int64_t late = 0;  // lambda
};

// By Renyi moments (Theorem 6, forms A and B). Fails as Validate does, or
// unless epsilon is in [0, 1000].
Result<PopCost> PopDelta(const PopProcess& process, double epsilon);

// With the exact curve of BetweenThresholds in place of its moments: never
// above PopDelta, and 6 to 15 % less noise. Also fails as ExactStoppedDelta
// does (two lattices of targets + lambda levels).
Result<PopCost> ExactPopDelta(const PopProcess& process, double epsilon);

// The least epsilon, to within 0.01 % (moments) or 0.1 % (exact), safe side.
// Fails with kNotConverged if it would exceed 1000.
Result<double> PopEpsilon(const PopProcess& process, double delta);
Result<double> ExactPopEpsilon(const PopProcess& process, double delta);

struct PopTarget {
  double epsilon = 0;
  double delta = 0;
  std::int64_t targets = 1;
  double gap_in_scales = 1;  // the gap is max(1, round(gap_in_scales / rate))
  double stopper = 0;
  std::int64_t rounds_per_user = 1;
};

// The process with the largest rate (least noise) that meets the target, to
// within 0.01 % or 0.1 %, safe side. Fails with kNotConverged if none does (the
// Stopper alone may cost too much).
Result<PopProcess> PopLeastNoise(const PopTarget& target);
Result<PopProcess> ExactPopLeastNoise(const PopTarget& target);

// The same phase as the paper prints it: tests above one threshold, and a
// private counter of the paid rounds that ends the phase (steps 9 and 10).
struct CounterPopProcess {
  double rate = 0;           // e0 = 1 / scale of the noise of the tests
  std::int64_t targets = 1;  // r: the phase ends at an estimate of r
  double counter = 0;        // e_c
  std::int64_t late = 0;     // lambda rounded up: the counter's error, unless
  double failure = 0;        // it fails, with this probability
};

// kInvalidArgument unless the tests are a valid AboveThreshold with targets +
// late reports, 2^-20 <= counter <= 64, late >= 0 and 0 <= failure < 1.
Status Validate(const CounterPopProcess& process);

// delta(epsilon) by Renyi moments (form A). Fails as Validate does, or unless
// epsilon is in [0, 1000].
Result<double> CounterPopDelta(const CounterPopProcess& process,
                               double epsilon);

// The process with the largest rate that has delta at this epsilon, to within
// 0.01 %, safe side; its own rate is not looked at. Fails as Validate does, and
// with kNotConverged if none has.
Result<CounterPopProcess> CounterPopLeastNoise(const CounterPopProcess& process,
                                               double epsilon, double delta);

}  // namespace sotto
