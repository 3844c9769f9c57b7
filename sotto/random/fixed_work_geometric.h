#pragma once

#include <cstdint>
#include <span>
#include <utility>

#include "sotto/base/rational.h"
#include "sotto/base/result.h"
#include "sotto/random/internal/geometric_digits.h"
#include "sotto/random/rng.h"

namespace sotto {

// One-sided geometric noise, Pr[G >= g] = e^(-rate * g) for g = 0, 1, ...,
// whose work and memory accesses do not depend on the value drawn.
//
//   auto rate = Rational::Create(1, 20);
//   auto noise = FixedWorkGeometric::Create(*rate);
//   std::int64_t delay = noise->Sample(rng);
//
// Guarantee: total-variation distance from the exact distribution at most
//            2^-TotalVariationLog2() per draw.
// Proof:     fixed_work_geometric.md.
// Threads:   immutable; const calls may run at the same time.
class FixedWorkGeometric {
 public:
  // Fails with kInvalidArgument unless rate is in [2^-48, 64].
  static Result<FixedWorkGeometric> Create(const Rational& rate);

  std::int64_t Sample(Rng& rng) const { return digits_.Draw(rng); }
  // Independent draws. Uses the words in another order than Sample.
  void Fill(Rng& rng, std::span<std::int64_t> values) const {
    digits_.Fill(rng, values);
  }

  static constexpr int TotalVariationLog2() {
    return internal::GeometricDigits::kTotalVariationLog2;
  }

  // The implemented distribution, for tests.
  const internal::GeometricDigits& digits() const { return digits_; }

 private:
  explicit FixedWorkGeometric(internal::GeometricDigits digits)
      : digits_(std::move(digits)) {}

  internal::GeometricDigits digits_;
};

}  // namespace sotto
