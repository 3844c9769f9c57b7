#pragma once

#include <span>
#include <vector>

#include "sotto/base/feature_view.h"
#include "sotto/base/result.h"
#include "sotto/models/tide/tide_encoding.h"

namespace sotto::bench {

// Rows in Tide's coordinates with the shares that its encoding starts with, the
// constant among them, at length 1: what any linear learner can be given.
//
// Threads: not thread-safe.
class ScaledRows {
 public:
  // Fails as TideEncoding does. The schema is read here only.
  static Result<ScaledRows> Create(const Schema& schema, bool pairs);

  // Valid until the next call.
  std::span<const Feature> Encode(FeatureView x);
  std::uint32_t coordinates() const { return encoding_.coordinates(); }

 private:
  explicit ScaledRows(TideEncoding encoding);

  TideEncoding encoding_;
  std::vector<double> scales_;  // by group
  std::vector<TideFeature> row_;
  FeatureVector scaled_;
};

}  // namespace sotto::bench
