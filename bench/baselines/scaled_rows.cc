#include "bench/baselines/scaled_rows.h"

#include <cmath>
#include <utility>

#include "sotto/models/tide/tide_calibration.h"

namespace sotto::bench {

ScaledRows::ScaledRows(TideEncoding encoding) : encoding_(std::move(encoding)) {
  for (const TideGroup& group : encoding_.groups()) {
    scales_.push_back(std::sqrt(group.share));
  }
}

Result<ScaledRows> ScaledRows::Create(const Schema& schema, bool pairs) {
  SOTTO_TRY_ASSIGN(auto encoding,
                   TideEncoding::Create({.schema = &schema, .pairs = pairs}));
  return ScaledRows(std::move(encoding));
}

std::span<const Feature> ScaledRows::Encode(FeatureView x) {
  encoding_.Encode(x, row_);
  scaled_.clear();
  scaled_.push_back({0, kTideBias});
  double squares = kTideBias * kTideBias;
  for (const TideFeature& f : row_) {
    const double value = scales_[f.group] * f.value;
    squares += value * value;
    scaled_.push_back({f.index, value});
  }
  const double inverse = 1 / std::sqrt(squares);
  for (Feature& f : scaled_) f.value *= inverse;
  return scaled_;
}

}  // namespace sotto::bench
