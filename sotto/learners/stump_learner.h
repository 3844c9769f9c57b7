#pragma once

#include <cstdint>
#include <vector>

#include "sotto/base/bytes.h"
#include "sotto/base/feature_view.h"
#include "sotto/base/result.h"
#include "sotto/learners/learner.h"
#include "sotto/learners/threshold_learner.h"

namespace sotto {

// Learns a decision stump: one feature, a threshold, and a direction.
//
//   StumpLearner learner(10);
//   bool guess = learner.Predict(x);
//   // exactly (x[axis()] >= threshold()) == positive_above()
//   learner.Update(x, y);
//
// For each axis and direction it keeps the interval of thresholds that explain
// all examples. Its one hypothesis is the middle of the widest; of equally wide
// ones the smallest axis, then positive above. If none is left (drift, or a
// wrong label) it restarts with the last example alone. Boolean features are
// stumps too: the feature, or its negation.
//
// Guarantee: labels of a threshold in (low, high] on one of d axes, values that
//   are multiples of s from low, b = ceil(log2((high - low) / s)): at most 2d
//   (b + 1) - 1 mistakes; with D changes 2d (b + 1) (D + 1); with n wrong
//   labels 2d (b + 1) (2n + 1).
// Proof: learners.md, section 3.
// Threads: const calls may run at the same time.
class StumpLearner {
 public:
  using Range = ThresholdLearner::Range;

  // Requires features >= 1; range.low < range.high, both finite.
  explicit StumpLearner(std::uint32_t features) : StumpLearner(features, {}) {}
  StumpLearner(std::uint32_t features, Range range);

  std::uint32_t axis() const { return axis_; }
  double threshold() const { return threshold_; }
  bool positive_above() const { return positive_above_; }
  bool Predict(FeatureView x) const {
    return (ValueAt(x, axis_) >= threshold_) == positive_above_;
  }
  // O(features).
  void Update(FeatureView x, bool y);

  void Save(ByteWriter& out) const;
  Status Load(ByteReader& in);

 private:
  // The least and the largest value seen on an axis, by label.
  struct Side {
    double least[2];
    double largest[2];
  };

  void Forget();
  void Teach(FeatureView x, bool y);
  // False, without a change, if no stump explains the examples.
  bool Choose();

  Range range_;
  std::vector<Side> sides_;
  std::uint32_t axis_ = 0;
  bool positive_above_ = true;
  double threshold_ = 0;
};
static_assert(SavableLearner<StumpLearner>);

}  // namespace sotto
