#pragma once

#include <cstdint>
#include <string_view>

#include "sotto/base/result.h"

namespace sotto {

// Adaptive composition of one noise mechanism with itself, with its three usual
// questions: epsilon, delta, and the least noise.
//
//   ComposedMechanism m{.kind = NoiseKind::kLaplace, .parameter = 20,
//                       .compositions = 100};
//   auto epsilon = EpsilonFor(m, 1e-6);
//   auto scale = ParameterFor(NoiseKind::kLaplace, 100, 2.0, 1e-6);
//
// Guarantee: every answer is safe as returned, rounded against us.
// Proof:     gaussian_analytic.md, binomial_composition.md, composed_loss.md,
//            by MethodName.
// Threads:   pure functions.
enum class NoiseKind {
  kLaplace,
  kDiscreteLaplace,
  kGaussian,
  kDiscreteGaussian,
  kPure,  // any epsilon-DP mechanism
};

struct ComposedMechanism {
  NoiseKind kind = NoiseKind::kLaplace;
  // Laplace scale or Gaussian sigma per unit of sensitivity; kPure: the epsilon
  // of each. The discrete mechanisms are for integer queries of sensitivity 1:
  // for sensitivity s, scale / s is safe for the discrete Laplace (its loss is
  // at most s / scale), but sigma / s is NOT for the discrete Gaussian; use
  // PrivacyLoss::DiscreteGaussian(sigma, s) there.
  double parameter = 0;
  std::uint64_t compositions = 1;
};

// "analytic gaussian", "exact binomial" or "privacy loss distribution".
std::string_view MethodName(NoiseKind kind);

// kInvalidArgument unless the parameter is positive and in range ([1e-9, 1e15]
// for noise, [1e-15, 1e9] for an epsilon), compositions in [1, 1e12], epsilon
// finite and not negative, delta in (0, 1), or zero where the mechanism is
// pure. kNotConverged where no bound could be certified.
Result<double> EpsilonFor(const ComposedMechanism& mechanism, double delta);
Result<double> DeltaFor(const ComposedMechanism& mechanism, double epsilon);

// The least noise parameter (kPure: the largest epsilon of each) for which the
// composition is (epsilon, delta)-DP, to a relative 1e-6 of what DeltaFor can
// certify; for the Gaussian to the last bit.
Result<double> ParameterFor(NoiseKind kind, std::uint64_t compositions,
                            double epsilon, double delta);

}  // namespace sotto
