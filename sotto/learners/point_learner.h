#pragma once

#include <cmath>
#include <limits>
#include <optional>

#include "sotto/base/bytes.h"
#include "sotto/base/feature_view.h"
#include "sotto/base/result.h"
#include "sotto/learners/learner.h"

namespace sotto {

// Learns the one number (feature 0) that is labelled 1.
//
//   PointLearner learner;
//   bool guess = learner.Predict(x);  // exactly x == learner.point()
//   learner.Update(x, y);
//
// The last label decides: a 1 elsewhere moves the point there, a 0 at the point
// removes it.
//
// Guarantee: at most 1 mistake on the labels of a point; at most 2D + 1 if the
//   point changes D times; at most 3n + 1 with n wrong labels. On examples in
//   exchangeable order at most 1 / t expected at the t-th alone.
// Proof: learners.md, section 4.
// Threads: const calls may run at the same time.
class PointLearner {
 public:
  std::optional<double> point() const {
    return std::isnan(point_) ? std::nullopt : std::optional(point_);
  }
  bool Predict(FeatureView x) const { return ValueAt(x, 0) == point_; }
  void Update(FeatureView x, bool y) {
    const double value = ValueAt(x, 0);
    if (y) {
      point_ = value;
    } else if (point_ == value) {
      point_ = kNone;
    }
  }

  void Save(ByteWriter& out) const { out.Real(point_); }
  Status Load(ByteReader& in) {
    point_ = in.Real();
    if (in.failed() || std::isinf(point_)) {
      return Corruption("not the state of a point");
    }
    return Ok();
  }

 private:
  // Equal to no value.
  static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

  double point_ = kNone;
};
static_assert(SavableLearner<PointLearner>);

}  // namespace sotto
