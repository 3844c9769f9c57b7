#include "comparison.h"

#include <cmath>

namespace sotto::app {

bool Comparison::Errs(const Example& example) {
  const bool wrong = example.y && learner_.Predict(example.x) != *example.y;
  if (label_delay_ == 0) {
    if (example.y) learner_.Update(example.x, example.y->positive());
    return wrong;
  }
  waiting_.push_back({.x = example.x, .y = example.y});
  if (waiting_.size() <= label_delay_) return wrong;
  const Example& due = waiting_.front();
  if (due.y) learner_.Update(due.x, due.y->positive());
  waiting_.pop_front();
  return wrong;
}

void Comparison::Save(ByteWriter& writer) const {
  learner_.Save(writer);
  writer.Number(static_cast<std::uint64_t>(waiting_.size()));
  for (const Example& example : waiting_) {
    writer.Number(static_cast<std::uint8_t>(!example.y              ? 0
                                            : example.y->positive() ? 2
                                                                    : 1));
    writer.Number(static_cast<std::uint64_t>(example.x.size()));
    for (const Feature& feature : example.x) {
      writer.Number(feature.index);
      writer.Real(feature.value);
    }
  }
}

Status Comparison::Load(ByteReader& reader) {
  if (Status loaded = learner_.Load(reader); !loaded) return loaded;
  const Error corrupt{ErrorCode::kCorruption,
                      "the saved plain learner makes no sense"};
  const auto size = reader.Number<std::uint64_t>();
  if (size > label_delay_ || size > reader.RoomFor(9)) return corrupt;
  for (std::uint64_t i = 0; i < size; ++i) {
    const auto label = reader.Number<std::uint8_t>();
    const auto features = reader.Number<std::uint64_t>();
    if (label > 2 || features > reader.RoomFor(12)) return corrupt;
    Example example;
    if (label > 0) example.y = label == 2;
    for (std::uint64_t j = 0; j < features; ++j) {
      const auto index = reader.Number<std::uint32_t>();
      const double value = reader.Real();
      if (!std::isfinite(value)) return corrupt;
      example.x.push_back({index, value});
    }
    waiting_.push_back(std::move(example));
  }
  return Ok();
}

}  // namespace sotto::app
