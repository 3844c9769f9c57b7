#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <map>

#include "sotto/mechanisms/counters/tree_counter_bound.h"

// For tests: the exact distribution of the first three estimates of a counter
// whose nodes are the three steps and the pair of the first two. That is a
// binary tree, and also a first epoch of two steps with its total and the first
// step of the next.
namespace sotto::three_steps {

using View = std::array<std::int64_t, 3>;
using Distribution = std::map<View, double>;

// The exact distribution of the three estimates of a binary tree over three
// steps, node noises cut at +-kReach: leaves 1, 2, 3 and the node over 1 and 2,
// whose estimate is two thirds its own sum and one third its children's.
inline constexpr int kReach = 8;
inline Distribution ExactDistribution(const View& counts, double rate) {
  const double theta = std::exp(-rate);
  auto mass = [&](int z) {
    return (1 - theta) / (1 + theta) * std::pow(theta, std::abs(z));
  };
  const double weight =
      std::ldexp(std::lround(std::ldexp(1.0 / 3, TreeShape::kWeightBits)),
                 -TreeShape::kWeightBits);
  const auto pair = static_cast<double>(counts[0] + counts[1]);
  Distribution distribution;
  for (int a = -kReach; a <= kReach; ++a) {
    for (int b = -kReach; b <= kReach; ++b) {
      for (int n = -kReach; n <= kReach; ++n) {
        const double node = (1 - weight) * (pair + n) + weight * (pair + a + b);
        const double p = mass(a) * mass(b) * mass(n);
        for (int c = -kReach; c <= kReach; ++c) {
          const auto third = static_cast<double>(counts[2] + c);
          distribution[{counts[0] + a, std::llround(node),
                        std::llround(node + third)}] += p * mass(c);
        }
      }
    }
  }
  return distribution;
}

inline double Delta(const Distribution& p, const Distribution& q,
                    double epsilon) {
  double delta = 0;
  for (const auto& [view, mass] : p) {
    const auto other = q.find(view);
    const double against = other == q.end() ? 0 : other->second;
    delta += std::max(0.0, mass - std::exp(epsilon) * against);
  }
  return delta;
}

// Worst over the step that changes, and both directions.
inline double WorstDelta(double rate, double epsilon) {
  double worst = 0;
  const Distribution base = ExactDistribution({1, 1, 1}, rate);
  for (std::size_t step = 0; step < 3; ++step) {
    View counts = {1, 1, 1};
    ++counts[step];
    const Distribution neighbour = ExactDistribution(counts, rate);
    worst = std::max(worst, Delta(base, neighbour, epsilon));
    worst = std::max(worst, Delta(neighbour, base, epsilon));
  }
  return worst;
}

}  // namespace sotto::three_steps
