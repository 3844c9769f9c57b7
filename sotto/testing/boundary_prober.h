#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>

#include "sotto/base/feature_view.h"

namespace sotto::testing {

// An adversary that looks for the place where a predictor changes its mind, and
// stays there: it halves the stretch between a point that was answered 0 and
// one that was answered 1, by its own answers alone, and begins again when the
// stretch is too short to halve. Its queries are those that divide the teachers
// of a vote most.
//
//   BoundaryProber prober({{0, 0.0}}, {{0, 1.0}});
//   bool told = predictor(prober.Next());
//   prober.Prediction(told);
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
    // Which end is answered 1 is asked first.
    if (asked_ < 2) {
      if (asked_++ == 1) rising_ = prediction;
      return;
    }
    (prediction == rising_ ? high_ : low_) = at_;
    if (high_ - low_ > least_) return;
    // Where it stands it may have been misled by noise: a little wider again.
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
