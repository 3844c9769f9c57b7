#pragma once

#include <cstdint>
#include <map>

#include "sotto/base/bytes.h"
#include "sotto/base/feature_view.h"
#include "sotto/base/result.h"
#include "sotto/learners/learner.h"
#include "sotto/models/points/point_predictor.h"

namespace sotto {

// Points without privacy: predicts the label that a value had more often; 0 for
// a value that is new or had both labels as often.
//
// Guarantee: at most 1 mistake at a value whose labels are all the same, 0 if
//            they are all 0.
// Threads:   const calls may run at the same time.
class NonPrivatePoints {
 public:
  bool Predict(FeatureView x) const {
    const auto place = balance_.find(PointKey(x));
    return place != balance_.end() && place->second > 0;
  }
  void Update(FeatureView x, bool y) { balance_[PointKey(x)] += y ? 1 : -1; }

  void Save(ByteWriter& out) const;
  Status Load(ByteReader& in);

 private:
  std::map<PointName, std::int64_t> balance_;  // labels 1 less labels 0
};
static_assert(SavableLearner<NonPrivatePoints>);

}  // namespace sotto
