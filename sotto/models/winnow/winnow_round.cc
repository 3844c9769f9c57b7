#include "sotto/models/winnow/winnow_round.h"

#include <cmath>

namespace sotto {

WinnowRound& WinnowRound::operator=(WinnowRound&& other) noexcept {
  prediction = other.prediction;
  x_ = std::move(other.x_);
  score_ = other.score_;
  releases_ = other.releases_;
  open_ = std::exchange(other.open_, false);
  return *this;
}

// The score is a function of the features and the hypothesis: a loaded round is
// scored again when it is closed.
void WinnowRound::Save(ByteWriter& writer) const {
  writer.Number(static_cast<std::uint8_t>(prediction ? 1 : 0));
  writer.Number(static_cast<std::uint64_t>(x_.size()));
  for (const Feature& feature : x_) {
    writer.Number(feature.index);
    writer.Real(feature.value);
  }
}

Result<WinnowRound> WinnowRound::Load(ByteReader& reader) {
  const Error corrupt{ErrorCode::kCorruption,
                      "the saved round of winnow makes no sense"};
  const auto prediction = reader.Number<std::uint8_t>();
  const auto size = reader.Number<std::uint64_t>();
  if (prediction > 1 || size > reader.RoomFor(12)) return corrupt;
  FeatureVector x;
  x.reserve(size);
  std::uint64_t next = 0;
  for (std::uint64_t i = 0; i < size; ++i) {
    const auto index = reader.Number<std::uint32_t>();
    const double value = reader.Real();
    if (index < next || !std::isfinite(value)) return corrupt;
    next = std::uint64_t{index} + 1;
    x.push_back({index, value});
  }
  if (reader.failed()) return corrupt;
  return WinnowRound(prediction == 1, x, 0, kNotScored);
}

}  // namespace sotto
