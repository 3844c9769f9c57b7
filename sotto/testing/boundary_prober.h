#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>

#include "sotto/base/feature_view.h"

namespace sotto::testing {

// An adversary that finds a predictor's decision boundary and stays there. It
// bisects the segment between a point predicted 0 and a point predicted 1,
// using only its own predictions, and starts again when the segment is too
// short. Its queries split the votes of the teachers most.
//
//   BoundaryProber prober({{0, 0.0}}, {{0, 1.0}});
//   bool prediction = predictor(prober.Next());
//   prober.Prediction(prediction);
class BoundaryProber {
 public:
  // Requires vectors with the same indices.
  BoundaryProber(FeatureVector from, FeatureVector to, double least = 1e-6)
      : from_(std::move(from)), to_(std::move(to)), least_(least) {}

  const FeatureVector& Next() {
    at_ = asked_ < 2 ? asked_ : (low_ + high_) / 2;
    query_ = from_;
    for (std::size_t i = 0; i < query_.size(); ++i) {
      query_[i].value += at_ * (to_[i].value - from_[i].value);
    }
    return query_;
  }

  void Prediction(bool prediction) {
    // The first two queries ask both ends.
    if (asked_ < 2) {
      if (asked_++ == 1) rising_ = prediction;
      return;
    }
    (prediction == rising_ ? high_ : low_) = at_;
    if (high_ - low_ > least_) return;
    // Noise may have misled the search: widen the segment a little.
    const double middle = (low_ + high_) / 2;
    width_ = width_ > 1 ? least_ * 4 : width_ * 2;
    low_ = std::fmax(0, middle - width_);
    high_ = std::fmin(1, middle + width_);
  }

  double at() const { return at_; }

 private:
  FeatureVector from_;
  FeatureVector to_;
  double least_;
  double low_ = 0;
  double high_ = 1;
  double width_ = 2;
  double at_ = 0.5;
  int asked_ = 0;  // ends
  bool rising_ = true;
  FeatureVector query_;
};

}  // namespace sotto::testing
