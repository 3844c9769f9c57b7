#pragma once

#include <span>
#include <vector>

#include "sotto/base/label.h"
#include "sotto/models/tide/tide_encoding.h"
#include "sotto/online/non_private.h"

namespace sotto {

// Tide without privacy: the same logistic function of the same coordinates,
// learned row by row with AdaGrad. Step 0.1, the usual one.
//
// Threads: not thread-safe.
class NonPrivateTide final : public NonPrivateLearner {
 public:
  NonPrivateTide(TideEncoding encoding, LabelType label);

  Label Predict(FeatureView x) const override;
  void Update(FeatureView x, const Label& y) override;
  void Save(ByteWriter& writer) const override;
  Status Load(ByteReader& reader) override;

 private:
  // The coordinates of a row, and the score of every output.
  void Score(FeatureView x, std::vector<TideFeature>& row,
             std::vector<double>& scores) const;
  void Step(std::size_t coordinate, double value,
            std::span<const double> errors);

  TideEncoding encoding_;
  LabelType label_;
  std::size_t outputs_;
  std::vector<double> weights_;  // by coordinate and output
  std::vector<double> squares_;  // sums of squared gradients
};

}  // namespace sotto
