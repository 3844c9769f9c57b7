#pragma once

#include <cstdint>

#include "sotto/base/result.h"

namespace sotto {

// The exact trade-off of the Gaussian mechanism, `compositions` times sigma per
// unit of sensitivity: with mu = sqrt(compositions) / sigma,
//
//   delta(epsilon) =
//       Phi(mu/2 - epsilon/mu) - e^epsilon Phi(-mu/2 - epsilon/mu).
//
//   auto epsilon = GaussianEpsilon({.sigma = 1, .compositions = 1}, 1e-6);
//   auto sigma = GaussianSigma(1.0, 1e-6, 1000);
//
// Paper:     Balle, Wang 2018, Theorem 8; Dong, Roth, Su 2022 for composition.
// Guarantee: the least double that is certainly safe: computed in MPFR with
//            directed rounding, precision raised until the last bit is decided.
// Proof:     gaussian_analytic.md, next to this file.
// Threads:   pure functions.
struct GaussianComposition {
  double sigma = 0;
  std::uint64_t compositions = 1;
};

// kInvalidArgument unless sigma is in [1e-9, 1e15], compositions in [1, 2^53],
// epsilon finite and not negative, 0 < delta < 1. kNotConverged where the
// answer is out of the range of doubles or of the arithmetic (epsilon above
// 5e8).
Result<double> GaussianDelta(const GaussianComposition& mechanism,
                             double epsilon);
Result<double> GaussianEpsilon(const GaussianComposition& mechanism,
                               double delta);
Result<double> GaussianSigma(double epsilon, double delta,
                             std::uint64_t compositions);

}  // namespace sotto
