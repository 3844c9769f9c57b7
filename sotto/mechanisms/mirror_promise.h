#pragma once

#include <cstdint>

#include "sotto/accounting/guarantee.h"
#include "sotto/base/result.h"

namespace sotto {

// What the mirrors have in common: the limits of their parameters, and the
// sentence they promise.
//
//   auto valid = CheckMirrorTarget(epsilon, delta, delay);
//   if (!valid) return valid.error();
//   return MirrorPromise(epsilon, delta, certified);
//
// Threads: pure functions.

// Fails with kInvalidArgument unless epsilon is in [0.05, 10], delta in
// [1e-12, 0.1] and delay in [1, 2^40].
Status CheckMirrorTarget(double epsilon, double delta, std::uint64_t delay);

// The challenge-DP promise (epsilon, certified). Fails with kNotConverged if
// `certified` exceeds `delta`.
Result<Guarantee> MirrorPromise(double epsilon, double delta, double certified);

}  // namespace sotto
