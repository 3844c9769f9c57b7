#pragma once

#include <cstdint>
#include <span>
#include <utility>

#include "sotto/base/rational.h"
#include "sotto/base/result.h"
#include "sotto/random/internal/geometric_digits.h"
#include "sotto/random/rng.h"

namespace sotto {

// Discrete Laplace noise, Pr[Z = z] = (1 - t) / (1 + t) * t^|z| with
// t = e^-rate, whose work and memory accesses do not depend on the value drawn.
//
//   auto scale = ParseRational("19.4");
//   auto noise = FixedWorkLaplace::Create(scale->Reciprocal());
//   std::vector<std::int64_t> draws(1000);
//   noise->Fill(rng, draws);
//
// Guarantee: total-variation distance from the exact distribution at most
//            2^-TotalVariationLog2() per draw: with k draws a run, delta
//            grows by (1 + e^epsilon) * k times that.
// Proof:     fixed_work_laplace.md.
// Threads:   immutable; const calls may run at the same time.
class FixedWorkLaplace {
 public:
  // `inverse_scale` is the rate, e0. Fails with kInvalidArgument unless it is
  // in [2^-48, 64].
  static Result<FixedWorkLaplace> Create(const Rational& inverse_scale);

  std::int64_t Sample(Rng& rng) const;
  // Independent draws, several times faster than single calls of Sample. Uses
  // the words in another order.
  void Fill(Rng& rng, std::span<std::int64_t> values) const;

  static constexpr int TotalVariationLog2() {
    return internal::GeometricDigits::kTotalVariationLog2;
  }

  // The implemented distribution, for tests.
  const internal::GeometricDigits& digits() const { return digits_; }

 private:
  explicit FixedWorkLaplace(internal::GeometricDigits digits)
      : digits_(std::move(digits)) {}

  internal::GeometricDigits digits_;
};

}  // namespace sotto
