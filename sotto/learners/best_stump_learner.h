#pragma once

#include <cstdint>

#include "sotto/base/bytes.h"
#include "sotto/base/feature_view.h"
#include "sotto/base/result.h"
#include "sotto/learners/example_buffer.h"
#include "sotto/learners/learner.h"
#include "sotto/learners/threshold_learner.h"

namespace sotto {

// The stump with the fewest errors on all examples: a batch learner that keeps
// its examples. It fits again after an eighth more examples than at the last
// fit.
//
//   BestStumpLearner learner(10);
//   learner.Update(x, y);
//   // Predict is (x[axis()] >= threshold()) == positive_above()
//
// Ties: the middle of the widest gap between values, then the smallest axis,
// then positive above. Wrong labels cost it little; StumpLearner would restart.
//
// Guarantee: at least 8/9 of the examples are in the last fit, less one.
// Proof: learners.md, section 13.
// Threads: const calls may run at the same time.
class BestStumpLearner {
 public:
  using Range = ThresholdLearner::Range;

  // Requires features >= 1; range.low < range.high, both finite.
  BestStumpLearner(std::uint32_t features, Range range);

  std::uint32_t axis() const { return axis_; }
  double threshold() const { return threshold_; }
  bool positive_above() const { return positive_above_; }
  bool Predict(FeatureView x) const {
    return (ValueAt(x, axis_) >= threshold_) == positive_above_;
  }
  // O(features), and occasionally O(features examples log examples).
  void Update(FeatureView x, bool y) {
    if (kept_.Add(x, y)) Fit();
  }

  void Save(ByteWriter& out) const { kept_.Save(out); }
  Status Load(ByteReader& in);

 private:
  struct Cut;
  void Fit();
  void ScanAxis(std::uint32_t axis, Cut& best) const;

  ExampleBuffer kept_;
  std::uint32_t axis_ = 0;
  bool positive_above_ = true;
  double threshold_ = 0;
};
static_assert(SavableLearner<BestStumpLearner>);

}  // namespace sotto
