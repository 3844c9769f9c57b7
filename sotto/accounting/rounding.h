#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include "sotto/base/ieee.h"

namespace sotto {

// Double arithmetic that rounds against us. IEEE operations are correctly
// rounded, so the true result lies within one step of the computed one:
// stepping outwards encloses it. Infinities stay infinite; NaN stays NaN, and
// callers treat NaN as "not converged".
//
// For libm functions (exp, log, lgamma, ...) one step is not enough; use
// InflateUp with a relative bound that covers the error stated for them.
//
// Threads: pure functions.

// Like std::nextafter, but inlined: the call took a quarter of a calibration.
// The bits of doubles of one sign are ordered like the doubles.
inline double StepUp(double x) {
  if (!(x < std::numeric_limits<double>::infinity())) return x;
  if (x == 0) return std::numeric_limits<double>::denorm_min();
  const auto bits = std::bit_cast<std::uint64_t>(x);
  return std::bit_cast<double>(x > 0 ? bits + 1 : bits - 1);
}
inline double StepDown(double x) { return -StepUp(-x); }

inline double UpAdd(double a, double b) { return StepUp(a + b); }
inline double UpMul(double a, double b) { return StepUp(a * b); }
inline double UpDiv(double a, double b) { return StepUp(a / b); }
inline double DownAdd(double a, double b) { return StepDown(a + b); }
inline double DownMul(double a, double b) { return StepDown(a * b); }
inline double DownDiv(double a, double b) { return StepDown(a / b); }

// The least double that is at least a + b: equal to the sum where the sum is
// exact, so that a running total of charges can reach its budget. `error` is
// what rounding dropped, by Knuth's TwoSum.
inline double LeastUpAdd(double a, double b) {
  const double sum = a + b;
  const double b_part = sum - a;
  const double error = (a - (sum - b_part)) + (b - b_part);
  return error > 0 ? StepUp(sum) : sum;
}

// The least double that is at least a / b, for positive a and b and a quotient
// in the normal range: equal to the quotient where that is exact. fma gives the
// sign of what rounding dropped.
inline double LeastUpDiv(double a, double b) {
  const double quotient = a / b;
  return std::fma(quotient, b, -a) < 0 ? StepUp(quotient) : quotient;
}

// x enlarged (in the direction of +infinity) by |x| * relative, and one step.
inline double InflateUp(double x, double relative) {
  return StepUp(x + std::abs(x) * relative);
}

// A short decimal that is at least `x`, and larger by 1e-5 of it at most: for
// printing the numbers of a guarantee. Returns "infinity" or "nan" for those.
std::string TextUp(double x);

}  // namespace sotto
