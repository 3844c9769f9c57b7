#include "sotto/models/winnow/winnow_hypothesis.h"

#include <algorithm>
#include <cmath>

#include "sotto/base/portable_math.h"

namespace sotto {
namespace {

double LargestExponent(std::span<const double> exponents, bool signs,
                       std::size_t others) {
  double largest = signs ? 0 : -HUGE_VAL;
  for (const double a : exponents) {
    largest = std::max(largest, signs ? std::abs(a) : a);
  }
  return others > 0 ? std::max(largest, 0.0) : largest;
}

// Depends only on the weights: those tied with the first one cut are cut too.
void KeepLargest(std::vector<float>& weights, std::size_t keep) {
  if (keep == 0 || keep >= weights.size()) return;
  std::vector<float> magnitudes(weights.size());
  std::ranges::transform(weights, magnitudes.begin(),
                         [](float w) { return std::abs(w); });
  const auto place = magnitudes.begin() + static_cast<std::ptrdiff_t>(keep);
  std::nth_element(magnitudes.begin(), place, magnitudes.end(),
                   std::greater<>());
  const float bar = *place;
  for (float& w : weights) {
    if (std::abs(w) <= bar) w = 0;
  }
}

}  // namespace

double WinnowHypothesis::Score(FeatureView x, double* norm_squared) const {
  double score = 0;
  double norm = 0;
  const std::size_t features = weights_.size() - (bias_ ? 1 : 0);
  for (const Feature& feature : x) {
    const double value = std::clamp(feature.value, -1.0, 1.0);
    norm += value * value;
    if (feature.index < features) {
      score += static_cast<double>(weights_[feature.index]) * value;
    }
  }
  if (bias_) {
    score += static_cast<double>(weights_.back());
    norm += 1;
  }
  if (norm_squared != nullptr) *norm_squared = norm;
  return score;
}

FeatureVector WinnowHypothesis::Sparse() const {
  FeatureVector sparse;
  for (std::size_t j = 0; j < weights_.size(); ++j) {
    if (weights_[j] != 0) {
      sparse.push_back(
          {static_cast<std::uint32_t>(j), static_cast<double>(weights_[j])});
    }
  }
  return sparse;
}

WinnowWeights ComputeWeights(std::span<const double> exponents,
                             std::size_t others, bool signs, std::size_t keep) {
  const double top = LargestExponent(exponents, signs, others);
  const double base = PortableExp(-top);
  double sum = static_cast<double>(others) * (signs ? 2 * base : base);
  WinnowWeights result;
  result.weights.resize(exponents.size());
  for (std::size_t j = 0; j < exponents.size(); ++j) {
    const double plus = PortableExp(exponents[j] - top);
    const double minus = signs ? PortableExp(-exponents[j] - top) : 0;
    sum += plus + minus;
    result.weights[j] = static_cast<float>(plus - minus);
  }
  for (float& w : result.weights) {
    w = static_cast<float>(static_cast<double>(w) / sum);
  }
  if (!signs && keep == 0) result.other = static_cast<float>(base / sum);
  KeepLargest(result.weights, keep);
  return result;
}

}  // namespace sotto
