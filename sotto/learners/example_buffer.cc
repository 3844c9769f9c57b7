#include "sotto/learners/example_buffer.h"

#include <algorithm>

namespace sotto {

bool ExampleBuffer::Add(FeatureView x, bool y) {
  auto next = x.begin();
  for (std::uint32_t axis = 0; axis < features_; ++axis) {
    double value = 0;
    if (next != x.end() && next->index == axis) value = (next++)->value;
    values_.push_back(std::clamp(value, range_.low, range_.high));
  }
  labels_.push_back(y ? 1 : 0);
  if (labels_.size() <= fitted_ + fitted_ / 8) return false;
  fitted_ = labels_.size();
  return true;
}

void ExampleBuffer::Save(ByteWriter& out) const {
  out.Number(static_cast<std::uint64_t>(labels_.size()));
  out.Number(static_cast<std::uint64_t>(fitted_));
  for (const double value : values_) out.Real(value);
  for (const char label : labels_) out.Number(static_cast<std::uint8_t>(label));
}

Status ExampleBuffer::Load(ByteReader& in) {
  const auto rows = in.Number<std::uint64_t>();
  const auto fitted = in.Number<std::uint64_t>();
  const std::uint64_t bytes = 8 * std::uint64_t{features_} + 1;
  bool good = !in.failed() && fitted <= rows && rows <= in.RoomFor(bytes);
  values_.clear();
  labels_.clear();
  for (std::uint64_t i = 0; good && i < rows * features_; ++i) {
    values_.push_back(in.Real());
    good = values_.back() >= range_.low && values_.back() <= range_.high;
  }
  for (std::uint64_t i = 0; good && i < rows; ++i) {
    const auto label = in.Number<std::uint8_t>();
    good = label <= 1;
    labels_.push_back(static_cast<char>(label));
  }
  if (!good || in.failed()) {
    return Corruption("not the examples of a learner");
  }
  fitted_ = fitted;
  return Ok();
}

}  // namespace sotto
