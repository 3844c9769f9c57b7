#pragma once

#include <cstdint>

#include "sotto/accounting/guarantee.h"
#include "sotto/base/rational.h"
#include "sotto/base/result.h"

namespace sotto {

// From (epsilon, delta) to noise rates and back, for tests with fresh discrete
// Laplace noise that halt after their reports. The samplers' slack is inside.
//
//   auto rate = LargestRate({.epsilon = 1, .delta = 1e-6, .reports = 100});
//   auto delta = FreshNoiseDelta(*rate, {.epsilon = 1, .reports = 100});
//
// A rate is a double that the sampler is given exactly. Everything is checked
// at the very rate that is returned, so nothing rests on monotonicity.
//
// Proof:   sparse_vector.md, step 2; stopped_process.md and
//          stopped_process_exact.md in sotto/accounting.
// Threads: pure functions.
struct FreshNoiseTarget {
  double epsilon = 0;
  double delta = 0;
  std::int64_t reports = 1;
  // StoppedProcess::kAboveThreshold, or the integers between two thresholds.
  std::int64_t gap = 0;
};

// The largest double at or below `rate` that is a Rational.
Result<double> SnapRate(double rate);

// Requires a rate that SnapRate returned.
Rational ExactRate(double rate);

// The delta that is left without the samplers' slack. Fails with
// kInvalidArgument unless target.delta is in (slack, 1).
Result<double> WithoutSamplers(const ApproximateDp& target);
// The delta to promise where `delta` is proved: the target, or `delta` itself
// if the target is 0. Fails with kBudgetExhausted if the target is not met, and
// with kNotConverged if nothing is proved.
Result<double> PromisedDelta(double delta, double target);

// The least delta proved for this rate, by the exact recursion where it is
// affordable and by Renyi moments elsewhere. target.delta is not used.
Result<double> FreshNoiseDelta(double rate, const FreshNoiseTarget& target);

// To within 0.1 % (exact) or 0.01 % (moments) of the largest. Fails with
// kInvalidArgument unless epsilon is in (0, 16], delta in (slack, 1), reports
// in [1, 2^32], with kNotConverged if no rate meets the target.
Result<double> LargestRate(const FreshNoiseTarget& target);

// The rate in use and the guarantee that holds with it. `rate` = 0 asks for
// LargestRate. Otherwise delta is computed; if target.delta is not 0, it must
// be met (kBudgetExhausted).
struct FreshNoise {
  double rate = 0;
  double delta = 0;
};
Result<FreshNoise> ChooseFreshNoise(double rate,
                                    const FreshNoiseTarget& target);

// 0 < epsilon <= 16, 1 <= reports <= 2^32, |threshold| <= 2^60.
Status CheckThresholdTest(double epsilon, std::int64_t reports,
                          std::int64_t threshold);

// The standard deviation of a discrete Laplace and of a geometric variable.
double LaplaceDeviation(double rate);
double GeometricDeviation(double rate);

// The promise of a test that speaks of one data set: everything released, one
// record replaced, or for monotone queries added or removed.
Result<Guarantee> ThresholdGuarantee(double epsilon, double delta,
                                     Relation relation = Relation::kReplace);

}  // namespace sotto
