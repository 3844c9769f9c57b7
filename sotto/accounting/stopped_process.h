#pragma once

#include <cstdint>

#include "sotto/accounting/renyi.h"
#include "sotto/base/result.h"

namespace sotto {

// A stream of threshold tests in which only charged outcomes cost privacy. Any
// number of rounds, fresh noise in each, halted after `targets` charged
// outcomes.
//
//   StoppedProcess process{.rate = 1 / 32.0, .targets = 10};
//   auto curve = StoppedProcessCurve(process);
//   if (!curve) return curve.error();
//   double delta = DeltaFromRenyi(*curve, 1.0);
//
// Paper:     the r-report AboveThreshold without threshold noise, and
//            BetweenThresholds; the constants are derived on the page below.
// Guarantee: log-moment <= targets * ln R(order) in both directions, for
//            adaptively chosen tests that all depend on one differing record.
// Proof:     stopped_process.md, next to this file.
// Threads:   a value type and pure functions.
struct StoppedProcess {
  // Value of `gap` without an upper threshold.
  static constexpr std::int64_t kAboveThreshold = 0;

  double rate = 0;           // e0 = 1 / noise scale; each test is e0-DP
  std::int64_t targets = 1;  // r, charged outcomes before the halt
  // kAboveThreshold: any e0-DP test with two outcomes, one of them charged.
  // G >= 1: BetweenThresholds on an integer query of sensitivity 1 with
  // discrete Laplace noise; charged (and then possibly released) if the noisy
  // value is one of the G integers strictly between the thresholds.
  std::int64_t gap = kAboveThreshold;

  friend bool operator==(const StoppedProcess&,
                         const StoppedProcess&) = default;
};

// kInvalidArgument unless 2^-30 <= rate <= 64, 1 <= targets <= 2^40 and
// 0 <= gap <= 2^40.
Status Validate(const StoppedProcess& process);

// ln R(order), the log-moment of one target, rounded up; +infinity where the
// moment is unbounded (orders at or above StoppedProcessMaxOrder). Requires a
// valid process; `targets` is not used.
double LogTargetFactor(const StoppedProcess& process, double order);

// The order at which R reaches 1 / (1 - share), to double precision; share = 1
// is the order at which R becomes infinite. Requires 0 < share <= 1.
double StoppedProcessMaxOrder(const StoppedProcess& process, double share = 1);

// The log-moments targets * ln R(order). Fails as Validate does.
Result<RenyiCurve> StoppedProcessCurve(const StoppedProcess& process);

// delta(epsilon) where up to `group` records differ.
//
// AboveThreshold is charged as a process with rate group * e0 (proved, step 5).
// BetweenThresholds has no proved bound of that shape, so it is charged by the
// group formula of (epsilon, delta) guarantees (step 6). Fails as Validate
// does, or unless epsilon > 0 and 1 <= group <= 2^20.
Result<double> StoppedProcessGroupDelta(const StoppedProcess& process,
                                        std::int64_t group, double epsilon);

// The largest rate (least noise) whose Renyi bound meets (epsilon, delta), to
// within 1e-4 of it and on the safe side. `gap_in_scales` = 0 means
// AboveThreshold; otherwise the gap is max(1, round(gap_in_scales / rate))
// integers. Fails with kInvalidArgument on parameters out of range and with
// kNotConverged where even the smallest rate does not meet the target.
struct StoppedProcessTarget {
  double epsilon = 0;
  double delta = 0;
  std::int64_t targets = 1;
  double gap_in_scales = 0;
};
Status Validate(const StoppedProcessTarget& target);
StoppedProcess ProcessAtRate(const StoppedProcessTarget& target, double rate);
Result<StoppedProcess> LeastNoise(const StoppedProcessTarget& target);

}  // namespace sotto
