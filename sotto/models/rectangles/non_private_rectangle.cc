#include "sotto/models/rectangles/non_private_rectangle.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sotto {

NonPrivateRectangle::NonPrivateRectangle(std::uint32_t dimensions)
    : low_(dimensions, std::numeric_limits<double>::infinity()),
      high_(dimensions, -std::numeric_limits<double>::infinity()) {}

bool NonPrivateRectangle::Predict(FeatureView x) const {
  for (std::uint32_t j = 0; j < low_.size(); ++j) {
    const double value = ValueAt(x, j);
    if (value < low_[j] || value > high_[j]) return false;
  }
  return true;
}

void NonPrivateRectangle::Update(FeatureView x, bool y) {
  if (!y) return;
  for (std::uint32_t j = 0; j < low_.size(); ++j) {
    low_[j] = std::min(low_[j], ValueAt(x, j));
    high_[j] = std::max(high_[j], ValueAt(x, j));
  }
}

void NonPrivateRectangle::Save(ByteWriter& out) const {
  for (std::size_t j = 0; j < low_.size(); ++j) {
    out.Real(low_[j]);
    out.Real(high_[j]);
  }
}

Status NonPrivateRectangle::Load(ByteReader& in) {
  for (std::size_t j = 0; j < low_.size(); ++j) {
    low_[j] = in.Real();
    high_[j] = in.Real();
    if (in.failed() || std::isnan(low_[j]) || std::isnan(high_[j])) {
      return Corruption("the saved box without privacy makes no sense");
    }
  }
  return Ok();
}

}  // namespace sotto
