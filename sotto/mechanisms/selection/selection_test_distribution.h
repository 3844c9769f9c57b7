#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace sotto {

// The distributions of the two ways to choose by integer scores, in exact
// numbers, with base = e^rate; and their worst likelihood ratio over
// neighbouring scores.
//
//   ExponentialDistribution<ExactNumber>(2, {3, 1});     // 4/5, 1/5
//
// Threads: pure functions.
using Scores = std::vector<std::int64_t>;

template <typename Number>
Number Coin(const Number& base, std::int64_t best, std::int64_t score) {
  Number power = 1;
  for (std::int64_t i = score; i < best; ++i) power *= base;
  return 1 / power;
}

template <typename Number>
std::vector<Number> ExponentialDistribution(const Number& base,
                                            const Scores& scores) {
  const std::int64_t best = *std::ranges::max_element(scores);
  Number sum = 0;
  std::vector<Number> distribution;
  for (const std::int64_t score : scores) {
    distribution.push_back(Coin(base, best, score));
    sum += distribution.back();
  }
  for (Number& p : distribution) p /= sum;
  return distribution;
}

// permute_and_flip.md, step 2: p_i times the integral over [0, 1] of the
// product of 1 - p_j v, a polynomial in v.
template <typename Number>
std::vector<Number> PermuteAndFlipDistribution(const Number& base,
                                               const Scores& scores) {
  const std::int64_t best = *std::ranges::max_element(scores);
  std::vector<Number> distribution;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    std::vector<Number> polynomial = {Number(1)};
    for (std::size_t j = 0; j < scores.size(); ++j) {
      if (j == i) continue;
      const Number p = Coin(base, best, scores[j]);
      polynomial.push_back(Number(0));
      for (std::size_t k = polynomial.size() - 1; k > 0; --k) {
        polynomial[k] -= p * polynomial[k - 1];
      }
    }
    Number integral = 0;
    for (std::size_t k = 0; k < polynomial.size(); ++k) {
      integral += polynomial[k] / static_cast<int>(k + 1);
    }
    distribution.push_back(Coin(base, best, scores[i]) * integral);
  }
  return distribution;
}

// Calls visit with every vector of `size` numbers in [low, high].
inline void ForEachVector(std::size_t size, std::int64_t low, std::int64_t high,
                          const std::function<void(const Scores&)>& visit) {
  Scores values(size, low);
  for (;;) {
    visit(values);
    std::size_t i = 0;
    while (i < size && values[i] == high) values[i++] = low;
    if (i == size) return;
    ++values[i];
  }
}

// The largest likelihood ratio, both directions, over scores in [0, top] of
// `size` candidates and changes of every score in [-down, up].
template <typename Number, typename Distribution>
Number WorstRatio(const Distribution& distribution, std::size_t size,
                  std::int64_t top, std::int64_t down, std::int64_t up) {
  Number worst = 0;
  ForEachVector(size, 0, top, [&](const Scores& scores) {
    const std::vector<Number> p = distribution(scores);
    ForEachVector(size, -down, up, [&](const Scores& change) {
      Scores other = scores;
      for (std::size_t i = 0; i < size; ++i) other[i] += change[i];
      const std::vector<Number> q = distribution(other);
      for (std::size_t i = 0; i < size; ++i) {
        worst = std::max({worst, Number(p[i] / q[i]), Number(q[i] / p[i])});
      }
    });
  });
  return worst;
}

}  // namespace sotto
