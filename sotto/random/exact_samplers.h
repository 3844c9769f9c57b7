#pragma once

#include <cstdint>

#include "sotto/base/int128.h"
#include "sotto/base/rational.h"
#include "sotto/base/result.h"
#include "sotto/random/rng.h"

namespace sotto {

// Samplers of exactly the named distribution, from integers and uniform words.
// They are the reference for the fixed-work samplers. Their running time
// depends on the value drawn: use them for noise only where time cannot be
// measured.
//
//   std::uint64_t die = 1 + UniformBelow(6, rng);
//   auto noise = ExactLaplace::Create(*Rational::Create(1, 20));
//   std::int64_t z = noise->Sample(rng);
//
// Paper:     [CanonneKamathSteinke20] Algorithms 1 to 3.
// Guarantee: the exact distribution; ExactGeometric and those built on it cut a
//            tail lighter than 2^-2000.
// Proof:     exact_samplers.md.
// Threads:   functions and immutable objects; one Rng, one thread.

// Uniform on {0, ..., n - 1}. Requires: n >= 1.
Uint128 UniformBelow(Uint128 n, Rng& rng);

// 1 with probability numerator / denominator.
// Requires: 0 <= numerator <= denominator, 1 <= denominator.
bool Bernoulli(Uint128 numerator, Uint128 denominator, Rng& rng);

// 1 with probability e^(-numerator / denominator). Requires: denominator >= 1.
bool BernoulliExp(Uint128 numerator, Uint128 denominator, Rng& rng);

// Pr[G >= g] = e^(-rate * g), g = 0, 1, ...
class ExactGeometric {
 public:
  // Fails with kInvalidArgument unless rate is in [2^-48, 64].
  static Result<ExactGeometric> Create(const Rational& rate);

  std::int64_t Sample(Rng& rng) const;

 private:
  explicit ExactGeometric(const Rational& rate) : rate_(rate) {}

  Rational rate_;
};

// Pr[Z = z] proportional to e^(-inverse_scale * |z|).
class ExactLaplace {
 public:
  // Fails with kInvalidArgument unless inverse_scale is in [2^-48, 64].
  static Result<ExactLaplace> Create(const Rational& inverse_scale);

  std::int64_t Sample(Rng& rng) const;

 private:
  explicit ExactLaplace(ExactGeometric magnitude) : magnitude_(magnitude) {}

  ExactGeometric magnitude_;
};

// Pr[Z = z] proportional to e^(-z^2 / (2 * variance)).
class ExactGaussian {
 public:
  // Fails with kInvalidArgument unless numerator and denominator of variance
  // (sigma^2) are at most 2^55 and variance is below 2^40.
  static Result<ExactGaussian> Create(const Rational& variance);

  std::int64_t Sample(Rng& rng) const;

 private:
  ExactGaussian(const Rational& variance, std::uint64_t scale,
                ExactLaplace proposal)
      : variance_(variance), scale_(scale), proposal_(proposal) {}

  bool Accept(std::uint64_t magnitude, Rng& rng) const;

  Rational variance_;
  std::uint64_t scale_;  // t = floor(sigma) + 1, the scale of the proposal.
  ExactLaplace proposal_;
};

}  // namespace sotto
