#pragma once

#include <cstdint>
#include <vector>

#include "sotto/base/bytes.h"
#include "sotto/base/feature_view.h"
#include "sotto/base/result.h"
#include "sotto/learners/learner.h"

namespace sotto {

// Rectangles without privacy: the smallest box with all positive rows. It
// trusts the labels, so one wrong 1 far outside makes the box too large.
//
// Guarantee: right on all rows learned so far, if a box is.
// Threads:   const calls may run at the same time.
class NonPrivateRectangle {
 public:
  explicit NonPrivateRectangle(std::uint32_t dimensions);

  bool Predict(FeatureView x) const;
  void Update(FeatureView x, bool y);

  void Save(ByteWriter& out) const;
  Status Load(ByteReader& in);

 private:
  // Inclusive; infinite and crossed before the first positive row.
  std::vector<double> low_;
  std::vector<double> high_;
};
static_assert(SavableLearner<NonPrivateRectangle>);

}  // namespace sotto
