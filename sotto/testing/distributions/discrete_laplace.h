#pragma once

#include <utility>

namespace sotto {

// base^exponent for exponent >= 0.
template <typename Number>
Number Power(const Number& base, int exponent) {
  Number power = 1;
  for (int i = 0; i < exponent; ++i) power *= base;
  return power;
}

// The distribution of the discrete Laplace variable Z in closed form, for any
// Number: Pr[Z = z] = (1 - theta) / (1 + theta) theta^|z|, theta =
// e^{-1/scale}. With a rational theta every probability is rational.
//
//   DiscreteLaplaceDistribution<ExactNumber> noise(ExactNumber(1) / 2);
//   noise.AtLeast(3);   // 1/12
//
// Threads: a value type.
template <typename Number>
class DiscreteLaplaceDistribution {
 public:
  // Requires theta in (0, 1).
  explicit DiscreteLaplaceDistribution(Number theta)
      : theta_(std::move(theta)) {}

  Number Mass(int z) const {
    return (1 - theta_) / (1 + theta_) * Power(theta_, z < 0 ? -z : z);
  }
  Number AtLeast(int z) const {
    if (z >= 0) return Power(theta_, z) / (1 + theta_);
    return 1 - Power(theta_, 1 - z) / (1 + theta_);
  }
  Number AtMost(int z) const { return AtLeast(-z); }

  // Pr[clamp(center + Z, low, high) = n] for low <= n <= high, low < high.
  Number ClampedMass(int center, int n, int low, int high) const {
    if (n == low) return AtMost(low - center);
    if (n == high) return AtLeast(high - center);
    return Mass(n - center);
  }

 private:
  Number theta_;
};

}  // namespace sotto
