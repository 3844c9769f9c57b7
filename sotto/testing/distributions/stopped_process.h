#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "sotto/testing/distributions/discrete_laplace.h"

namespace sotto {

// The largest delta at e^epsilon of `rounds` adaptive binary tests, each e0-DP
// with theta = e^{-e0}, halting after `reports` charged outcomes: the
// finite-horizon form of the exact recursion for stopped processes, on the
// lattice of privacy losses. It is independent of ExactGame and serves as its
// reference. For rounds to infinity it grows to the guarantee of
// AboveThreshold.
template <typename Number>
Number StoppedDelta(const Number& theta, const Number& exp_epsilon, int reports,
                    int rounds) {
  const Number up = 1 / (1 + theta);
  const Number down = 1 - up;
  const auto middle = static_cast<std::size_t>(rounds);  // Loss 0.
  const std::size_t width = 2 * middle + 1;
  // value[j][l]: j reports left, loss (l - middle) e0 so far.
  std::vector<Number> leaf(width, Number(0));
  Number ratio = exp_epsilon / Power(theta, rounds);
  for (std::size_t l = 0; l < width; ++l) {
    if (ratio < 1) leaf[l] = 1 - ratio;
    ratio *= theta;
  }
  std::vector<std::vector<Number>> value(static_cast<std::size_t>(reports) + 1,
                                         leaf);
  for (int n = 1; n <= rounds; ++n) {
    for (std::size_t j = value.size() - 1; j > 0; --j) {
      std::vector<Number> next = value[j];
      for (std::size_t l = 1; l + 1 < width; ++l) {
        const Number a = up * value[j][l + 1] + down * value[j - 1][l - 1];
        const Number b = up * value[j - 1][l + 1] + down * value[j][l - 1];
        next[l] = std::max({a, b, value[j][l]});
      }
      value[j] = std::move(next);
    }
  }
  return value.back()[middle];
}

}  // namespace sotto
