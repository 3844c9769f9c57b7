#include "sotto/testing/statistics.h"

#include <algorithm>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>
#include <numeric>

namespace sotto {
namespace {

constexpr double kMalformed = std::numeric_limits<double>::quiet_NaN();

std::uint64_t Total(std::span<const std::uint64_t> counts) {
  return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
}

bool ValidBins(std::span<const std::uint64_t> counts,
               std::span<const double> probabilities) {
  if (counts.empty() || counts.size() != probabilities.size()) return false;
  double sum = 0;
  for (double p : probabilities) {
    if (!(p >= 0)) return false;
    sum += p;
  }
  return std::abs(sum - 1) <= 1e-9 && Total(counts) > 0;
}

double ChiSquaredTail(double statistic, std::size_t degrees) {
  if (degrees == 0) return 1;
  return boost::math::gamma_q(static_cast<double>(degrees) / 2, statistic / 2);
}

double DkwTail(double constant, double exponent) {
  return std::min(1.0, constant * std::exp(-exponent));
}

}  // namespace

double ChiSquaredPValue(std::span<const std::uint64_t> counts,
                        std::span<const double> probabilities) {
  if (!ValidBins(counts, probabilities)) return kMalformed;
  const auto n = static_cast<double>(Total(counts));
  double statistic = 0;
  std::size_t bins = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (probabilities[i] == 0) {
      if (counts[i] > 0) return 0;
      continue;
    }
    const double expected = n * probabilities[i];
    if (expected < kMinExpectedCount) return kMalformed;
    const double miss = static_cast<double>(counts[i]) - expected;
    statistic += miss * miss / expected;
    ++bins;
  }
  return ChiSquaredTail(statistic, bins - 1);
}

double ChiSquaredTwoSamplePValue(std::span<const std::uint64_t> counts_a,
                                 std::span<const std::uint64_t> counts_b) {
  if (counts_a.size() != counts_b.size()) return kMalformed;
  const auto a = static_cast<double>(Total(counts_a));
  const auto b = static_cast<double>(Total(counts_b));
  if (!(a > 0 && b > 0)) return kMalformed;
  double statistic = 0;
  std::size_t bins = 0;
  for (std::size_t i = 0; i < counts_a.size(); ++i) {
    const auto x = static_cast<double>(counts_a[i]);
    const auto y = static_cast<double>(counts_b[i]);
    if (x + y == 0) continue;
    const double pooled = (x + y) / (a + b);
    if (std::min(a, b) * pooled < kMinExpectedCount) return kMalformed;
    const double miss = x - a * pooled;
    statistic += miss * miss * (1 / (a * pooled) + 1 / (b * pooled));
    ++bins;
  }
  return ChiSquaredTail(statistic, bins - 1);
}

double KsPValue(std::span<const std::uint64_t> counts,
                std::span<const double> probabilities) {
  if (!ValidBins(counts, probabilities)) return kMalformed;
  const auto n = static_cast<double>(Total(counts));
  double empirical = 0;
  double exact = 0;
  double distance = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (probabilities[i] == 0 && counts[i] > 0) return 0;
    empirical += static_cast<double>(counts[i]) / n;
    exact += probabilities[i];
    distance = std::max(distance, std::abs(empirical - exact));
  }
  return DkwTail(2, 2 * n * distance * distance);
}

double KsPValue(std::span<const double> samples,
                const std::function<double(double)>& cdf) {
  if (samples.empty() || !std::is_sorted(samples.begin(), samples.end())) {
    return kMalformed;
  }
  const auto n = static_cast<double>(samples.size());
  double distance = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const double exact = cdf(samples[i]);
    if (!(exact >= 0 && exact <= 1)) return kMalformed;
    const double below = exact - static_cast<double>(i) / n;
    const double above = static_cast<double>(i + 1) / n - exact;
    distance = std::max({distance, below, above});
  }
  return DkwTail(2, 2 * n * distance * distance);
}

double KsTwoSamplePValue(std::span<const std::uint64_t> counts_a,
                         std::span<const std::uint64_t> counts_b) {
  if (counts_a.size() != counts_b.size()) return kMalformed;
  const std::uint64_t total = Total(counts_a);
  if (total == 0 || total != Total(counts_b)) return kMalformed;
  std::uint64_t sum_a = 0;
  std::uint64_t sum_b = 0;
  std::uint64_t gap = 0;
  for (std::size_t i = 0; i < counts_a.size(); ++i) {
    sum_a += counts_a[i];
    sum_b += counts_b[i];
    gap = std::max(gap, std::max(sum_a, sum_b) - std::min(sum_a, sum_b));
  }
  const auto n = static_cast<double>(total);
  const double distance = static_cast<double>(gap) / n;
  return DkwTail(total >= 458 ? 2 : std::numbers::e, n * distance * distance);
}

}  // namespace sotto
