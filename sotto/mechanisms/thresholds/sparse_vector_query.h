#pragma once

#include <cstdint>

#include "sotto/base/rational.h"
#include "sotto/base/result.h"

namespace sotto {

// Turns real queries of a stated sensitivity into the integers of sensitivity 1
// that every threshold test takes: floor(value / sensitivity), exactly.
//
//   auto query = RealQuery::Create({.sensitivity = *ParseRational("0.25")});
//   auto answer = test->Test(query->Floor(mean), rng);   // mean / 0.25
//
// Guarantee: values that differ by at most `sensitivity` give integers that
//            differ by at most 1. Multiplying by a rounded reciprocal does
//            not: those floors can differ by 2.
// Proof:     sparse_vector.md, step 3.
// Threads:   immutable.
class RealQuery {
 public:
  struct Params {
    Rational sensitivity;
  };

  // Fails with kInvalidArgument unless sensitivity is in [2^-61, 2^61].
  static Result<RealQuery> Create(const Params& params);

  // Saturates at +-kQueryLimit, infinities included. NaN gives -kQueryLimit:
  // nothing may fail on private data. Whether a NaN on one of two neighbours
  // can occur is a matter of the query's sensitivity, the caller's duty.
  std::int64_t Floor(double value) const;

  // Thresholds for the test: value >= floor(t / sensitivity) * sensitivity.
  std::int64_t Threshold(double threshold) const { return Floor(threshold); }

 private:
  explicit RealQuery(const Rational& sensitivity) : sensitivity_(sensitivity) {}

  Rational sensitivity_;
};

}  // namespace sotto
