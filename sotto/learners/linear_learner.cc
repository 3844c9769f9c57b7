#include "sotto/learners/linear_learner.h"

#include <cmath>

#include "sotto/base/portable_math.h"

namespace sotto {

double PerceptronStep(double score, bool y) {
  if ((score >= 0) == y) return 0;
  return y ? 1 : -1;
}

double LogisticStep(double score, bool y, double rate) {
  // exp may overflow to infinity: the probability is then rightly 0.
  const double probability = 1 / (1 + PortableExp(-score));
  return rate * ((y ? 1.0 : 0.0) - probability);
}

double LinearScore(std::span<const double> weights, FeatureView x) {
  const std::size_t bias = weights.size() - 1;
  double score = 0;
  for (const Feature& feature : x) {
    if (feature.index >= bias) break;
    score = std::fma(weights[feature.index], feature.value, score);
  }
  return std::fma(weights[bias], 1.0, score);
}

void LinearStep(double g, FeatureView x, std::span<double> weights) {
  if (g == 0) return;
  const std::size_t bias = weights.size() - 1;
  for (const Feature& feature : x) {
    if (feature.index >= bias) break;
    double& weight = weights[feature.index];
    weight = std::fma(g, feature.value, weight);
  }
  weights[bias] = std::fma(g, 1.0, weights[bias]);
}

}  // namespace sotto
