#include "sotto/learners/agnostic_learner.h"

namespace sotto {

bool AgnosticLearner::Predict(FeatureView x) const {
  const auto point = functions_->FindPoint(x);
  return point && blame_.Majority([&](std::size_t h) {
    return functions_->Label(h, *point);
  });
}

void AgnosticLearner::Update(FeatureView x, bool y) {
  const auto point = functions_->FindPoint(x);
  if (!point) return;
  blame_.Learn([&](std::size_t h) { return functions_->Label(h, *point); }, y);
}

}  // namespace sotto
