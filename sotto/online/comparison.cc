#include "sotto/online/comparison.h"

#include <cmath>

namespace sotto {

void Comparison::Play(const Round& round) {
  const bool teaches = round.present() && round.y;
  if (teaches && round.prediction &&
      learner_.Predict(round.x) != round.y->positive()) {
    ++mistakes_;
  }
  if (label_delay_ == 0) {
    if (teaches) learner_.Update(round.x, round.y->positive());
    return;
  }
  waiting_.push_back(teaches ? PendingUpdate{round.x, round.y->positive()}
                             : PendingUpdate{});
  if (waiting_.size() <= label_delay_) return;
  const PendingUpdate& due = waiting_.front();
  if (due.y) learner_.Update(due.x, *due.y);
  waiting_.pop_front();
}

void Comparison::Write(const PendingUpdate& lesson, ByteWriter& writer) {
  const std::uint8_t label = lesson.y ? (*lesson.y ? 2 : 1) : 0;
  writer.Number(label);
  writer.Number(static_cast<std::uint64_t>(lesson.x.size()));
  for (const Feature& feature : lesson.x) {
    writer.Number(feature.index);
    writer.Real(feature.value);
  }
}

std::optional<Comparison::PendingUpdate> Comparison::Read(ByteReader& reader) {
  const auto label = reader.Number<std::uint8_t>();
  const auto features = reader.Number<std::uint64_t>();
  if (label > 2 || features > reader.RoomFor(12)) return std::nullopt;
  PendingUpdate lesson;
  if (label > 0) lesson.y = label == 2;
  for (std::uint64_t j = 0; j < features; ++j) {
    const auto index = reader.Number<std::uint32_t>();
    const double value = reader.Real();
    if (!std::isfinite(value)) return std::nullopt;
    lesson.x.push_back({index, value});
  }
  return reader.failed() ? std::nullopt : std::optional(std::move(lesson));
}

void Comparison::Save(ByteWriter& writer) const {
  learner_.Save(writer);
  writer.Number(mistakes_);
  writer.Number(static_cast<std::uint64_t>(waiting_.size()));
  for (const PendingUpdate& lesson : waiting_) Write(lesson, writer);
}

Status Comparison::Load(ByteReader& reader) {
  SOTTO_TRY(learner_.Load(reader));
  const Error corrupt{ErrorCode::kCorruption,
                      "the saved plain learner makes no sense"};
  mistakes_ = reader.Number<std::uint64_t>();
  const auto size = reader.Number<std::uint64_t>();
  if (reader.failed() || size > label_delay_ || size > reader.RoomFor(9)) {
    return corrupt;
  }
  for (std::uint64_t i = 0; i < size; ++i) {
    auto lesson = Read(reader);
    if (!lesson) return corrupt;
    waiting_.push_back(*std::move(lesson));
  }
  return Ok();
}

}  // namespace sotto
