#include "sotto/learners/winnow_learner.h"

#include <algorithm>
#include <cmath>

namespace sotto {
namespace {

constexpr double kLeastWeight = 1.0 / 32;

}  // namespace

WinnowLearner::WinnowLearner(Params params)
    : params_(params),
      weights_(std::size_t{params.features} * (params.negations ? 2 : 1), 1.0) {
  target_ = static_cast<double>(weights_.size()) / 2;
}

template <typename Visit>
void WinnowLearner::ForInputs(FeatureView x, const Visit& visit) const {
  for (const Feature& feature : x) {
    if (feature.index >= params_.features) break;
    const double value = std::clamp(feature.value, 0.0, 1.0);
    if (value > 0) visit(feature.index, value);
  }
  if (!params_.negations) return;
  auto next = x.begin();
  for (std::uint32_t i = 0; i < params_.features; ++i) {
    double value = 0;
    if (next != x.end() && next->index == i) value = (next++)->value;
    value = 1 - std::clamp(value, 0.0, 1.0);
    if (value > 0) visit(std::size_t{params_.features} + i, value);
  }
}

double WinnowLearner::Score(FeatureView x) const {
  double score = 0;
  ForInputs(x, [&](std::size_t input, double value) {
    score += weights_[input] * value;
  });
  return score;
}

void WinnowLearner::Update(FeatureView x, bool y) {
  if (Predict(x) == y) return;
  ForInputs(x, [&](std::size_t input, double value) {
    double& weight = weights_[input];
    weight = std::max(kLeastWeight, weight * std::exp2(y ? value : -value));
  });
}

void WinnowLearner::Save(ByteWriter& out) const {
  for (const double weight : weights_) out.Real(weight);
}

Status WinnowLearner::Load(ByteReader& in) {
  bool sound = true;
  for (double& weight : weights_) {
    weight = in.Real();
    sound = sound && weight >= kLeastWeight;
  }
  if (in.failed() || !sound) {
    return Corruption("not the weights of Winnow");
  }
  return Ok();
}

}  // namespace sotto
