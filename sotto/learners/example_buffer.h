#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sotto/base/bytes.h"
#include "sotto/base/feature_view.h"
#include "sotto/base/result.h"
#include "sotto/learners/threshold_learner.h"

namespace sotto {

// The examples of a batch learner, and the schedule of its fits: after an
// eighth more examples than at the last fit.
//
//   if (kept.Add(x, y)) Fit();   // on kept.fitted() examples
//
// Threads: const calls may run at the same time.
class ExampleBuffer {
 public:
  using Range = ThresholdLearner::Range;

  // Requires features >= 1; range.low < range.high, both finite.
  ExampleBuffer(std::uint32_t features, Range range)
      : features_(features), range_(range) {}

  // True if it is time to fit; the examples so far are then fitted().
  bool Add(FeatureView x, bool y);

  std::uint32_t features() const { return features_; }
  const Range& range() const { return range_; }
  std::size_t fitted() const { return fitted_; }
  double At(std::size_t row, std::size_t axis) const {
    return values_[row * features_ + axis];
  }
  bool GetLabel(std::size_t row) const { return labels_[row] != 0; }

  void Save(ByteWriter& out) const;
  // Fails with kCorruption.
  Status Load(ByteReader& in);

 private:
  std::uint32_t features_;
  Range range_;
  std::vector<double> values_;  // row by row, inside the range
  std::vector<char> labels_;
  std::size_t fitted_ = 0;
};

}  // namespace sotto
