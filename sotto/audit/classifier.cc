#include "sotto/audit/classifier.h"

#include <algorithm>
#include <cmath>

namespace sotto {
namespace {

constexpr int kEpochs = 4;
constexpr double kStep = 0.1;
constexpr double kFar = 4;  // deviations; further out is as far
constexpr double kBound = 1e15;

double Number(std::int64_t answer) {
  if (answer == View::kHidden) return 0;
  return std::clamp(static_cast<double>(answer), -kBound, kBound);
}

}  // namespace

Classifier::Features Classifier::Raw(const View& view) {
  Features features = {};
  const std::size_t rounds = std::min(view.rounds(), kRounds);
  double before = 0;
  for (std::size_t i = 0; i < rounds; ++i) {
    const double now = Number(view.seen[i]);
    features[2 * i] = now;
    features[2 * i + 1] = now - before;
    before = now;
  }
  double sum = 0;
  for (const std::int64_t answer : view.seen) sum += Number(answer);
  const std::size_t rest = 2 * kRounds;
  features[rest] = sum;
  features[rest + 1] = static_cast<double>(view.rounds());
  features[rest + 2] = view.seen.empty() ? 0 : Number(view.seen.back());
  features[rest + 3] =
      view.rounds() > 0 ? sum / static_cast<double>(view.rounds()) : 0;
  return features;
}

void Classifier::Standardize(std::span<const View> zero,
                             std::span<const View> one) {
  Features squares = {};
  const auto count = static_cast<double>(zero.size() + one.size());
  for (const auto& views : {zero, one}) {
    for (const View& view : views) {
      const Features raw = Raw(view);
      for (std::size_t j = 0; j < kFeatures; ++j) {
        mean_[j] += raw[j] / count;
        squares[j] += raw[j] * raw[j] / count;
      }
    }
  }
  for (std::size_t j = 0; j < kFeatures; ++j) {
    const double variance = squares[j] - mean_[j] * mean_[j];
    const double least = 1e-12 * (1 + squares[j]);
    inverse_deviation_[j] = variance > least ? 1 / std::sqrt(variance) : 0;
  }
}

Classifier::Features Classifier::Scaled(const View& view) const {
  Features features = Raw(view);
  for (std::size_t j = 0; j < kFeatures; ++j) {
    features[j] = std::clamp((features[j] - mean_[j]) * inverse_deviation_[j],
                             -kFar, kFar);
  }
  return features;
}

// Stochastic gradients with a step for each weight that shrinks as its gradient
// adds up (Adagrad), the worlds in turn.
Classifier Classifier::Train(std::span<const View> zero,
                             std::span<const View> one) {
  Classifier made;
  if (zero.empty() || one.empty()) return made;
  made.Standardize(zero, one);
  Features seen = {};
  double seen_bias = 0;
  for (int epoch = 0; epoch < kEpochs; ++epoch) {
    for (std::size_t i = 0; i < 2 * std::min(zero.size(), one.size()); ++i) {
      const bool world = (i & 1) != 0;
      const Features x = made.Scaled(world ? one[i / 2] : zero[i / 2]);
      double score = made.bias_;
      for (std::size_t j = 0; j < kFeatures; ++j) {
        score += made.weights_[j] * x[j];
      }
      const double error = 1 / (1 + std::exp(-score)) - (world ? 1 : 0);
      for (std::size_t j = 0; j < kFeatures; ++j) {
        const double gradient = error * x[j];
        seen[j] += gradient * gradient;
        if (seen[j] > 0) {
          made.weights_[j] -= kStep * gradient / std::sqrt(seen[j]);
        }
      }
      seen_bias += error * error;
      made.bias_ -= kStep * error / std::sqrt(seen_bias);
    }
  }
  return made;
}

double Classifier::Score(const View& view) const {
  const Features x = Scaled(view);
  double score = bias_;
  for (std::size_t j = 0; j < kFeatures; ++j) score += weights_[j] * x[j];
  return score;
}

std::vector<double> Classifier::Numbers() const {
  std::vector<double> numbers = {bias_};
  for (const Features& features : {mean_, inverse_deviation_, weights_}) {
    numbers.insert(numbers.end(), features.begin(), features.end());
  }
  return numbers;
}

}  // namespace sotto
