#pragma once

#include <limits>

#include "sotto/base/bytes.h"
#include "sotto/base/feature_view.h"
#include "sotto/base/result.h"
#include "sotto/learners/learner.h"
#include "sotto/learners/threshold_learner.h"

namespace sotto {

// Learns the interval of a number (feature 0) with label 1: empty until the
// first 1, then by bisection to its left and to its right.
//
//   IntervalLearner learner({.low = 0, .high = 100});
//   bool guess = learner.Predict(x);  // lower() <= x && x <= upper()
//   learner.Update(x, y);
//
// An example that no interval explains together with what is remembered (drift,
// or a wrong label) restarts the learner with that example alone.
//
// Guarantee: labels of an interval, values that are multiples of s strictly
//   inside the range, b = ceil(log2((high - low) / s)): at most 2b mistakes;
//   with D changes of the interval at most (2b + 1) (D + 1); with n wrong
//   labels (2b + 1) (2n + 1). On examples in exchangeable order, for any
//   values: at most 4 H_m expected in m rounds.
// Proof: learners.md, section 2.
// Threads: const calls may run at the same time.
class IntervalLearner {
 public:
  using Range = ThresholdLearner::Range;

  IntervalLearner() : IntervalLearner(Range{}) {}
  // Requires range.low < range.high, both finite.
  explicit IntervalLearner(Range range) : range_(range) { Forget(); }

  // The current interval; lower() > upper() while it is empty.
  double lower() const;
  double upper() const;
  bool Predict(FeatureView x) const {
    const double value = ValueAt(x, 0);
    return lower() <= value && value <= upper();
  }
  void Update(FeatureView x, bool y);

  void Save(ByteWriter& out) const;
  Status Load(ByteReader& in);

 private:
  bool empty() const { return inner_low_ > inner_high_; }
  bool Contradicts(double value, bool y) const;
  void Forget();

  Range range_;
  // The hull of the 1s, and the nearest 0s around it (or the range's ends).
  double outer_low_;
  double inner_low_;
  double inner_high_;
  double outer_high_;
};
static_assert(SavableLearner<IntervalLearner>);

}  // namespace sotto
