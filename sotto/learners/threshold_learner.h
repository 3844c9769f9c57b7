#pragma once

#include <numeric>

#include "sotto/base/bytes.h"
#include "sotto/base/feature_view.h"
#include "sotto/base/result.h"
#include "sotto/learners/learner.h"

namespace sotto {

// Learns the threshold of a number (feature 0) between label 0 and label 1, by
// bisection between the largest 0 and the smallest 1 seen.
//
//   ThresholdLearner learner({.low = 0, .high = 100});
//   bool guess = learner.Predict(x);  // exactly x >= learner.threshold()
//   learner.Update(x, y);
//
// An example that no threshold between those two explains (drift, or a wrong
// label) is accepted: it becomes the end of its own side, and the other end is
// reset to the end of the range. Labels that some threshold explains never
// cause this.
//
// Guarantee: labels of a threshold in (low, high], values that are multiples of
//   s from low, b = ceil(log2((high - low) / s)), at most 53 for multiples of
//   2^-53 in [0, 1]: at most b mistakes; with D changes of the threshold at
//   most (D + 1) b + D; with n wrong labels (2n + 1) b + 2n. On examples in
//   exchangeable order, for any values: a mistake in round t with probability
//   at most 2 / t, so 2 H_m - 1 expected in m rounds.
// Proof: learners.md, section 1.
// Threads: const calls may run at the same time.
class ThresholdLearner {
 public:
  // Public. Values outside are taught as the nearest end.
  struct Range {
    double low = 0;
    double high = 1;
  };

  ThresholdLearner() : ThresholdLearner(Range{}) {}
  // Requires range.low < range.high, both finite.
  explicit ThresholdLearner(Range range)
      : range_(range), below_(range.low), above_(range.high) {}

  // Never at `below` while below < above: its label is known to be 0, and
  // between neighbouring doubles the midpoint may round to it.
  double threshold() const {
    const double middle = std::midpoint(below_, above_);
    return middle > below_ ? middle : above_;
  }
  bool Predict(FeatureView x) const { return ValueAt(x, 0) >= threshold(); }
  void Update(FeatureView x, bool y);

  void Save(ByteWriter& out) const;
  Status Load(ByteReader& in);

 private:
  Range range_;
  double below_;  // The largest value labelled 0; the threshold is above it.
  double above_;  // The smallest value labelled 1.
};
static_assert(SavableLearner<ThresholdLearner>);
static_assert(sizeof(ThresholdLearner) <= 32);

}  // namespace sotto
