#include "sotto/online/comparison.h"

#include <algorithm>
#include <cmath>

namespace sotto {
namespace {

void WriteFeatures(FeatureView x, ByteWriter& writer) {
  writer.Number(static_cast<std::uint64_t>(x.size()));
  for (const Feature& feature : x) {
    writer.Number(feature.index);
    writer.Real(feature.value);
  }
}

std::optional<FeatureVector> ReadFeatures(ByteReader& reader) {
  const auto features = reader.Number<std::uint64_t>();
  if (features > reader.RoomFor(12)) return std::nullopt;
  FeatureVector x;
  for (std::uint64_t j = 0; j < features; ++j) {
    const auto index = reader.Number<std::uint32_t>();
    const double value = reader.Real();
    if (!std::isfinite(value)) return std::nullopt;
    x.push_back({index, value});
  }
  if (reader.failed()) return std::nullopt;
  return x;
}

Error Corrupt() {
  return Corruption("the saved learner without privacy makes no sense");
}

}  // namespace

void Comparison::Count(const Label& prediction, const Label& y) {
  if (IsMistake(prediction, y)) ++mistakes_;
  if (!CountsMistakes(y.kind())) error_ += Loss(prediction, y);
}

void Comparison::Learn(FeatureView x, const Label& y) {
  if (lessons_ == Lessons::kStream) learner_->Update(x, y);
}

void Comparison::Train(const Round& row) {
  if (row.present() && row.y) learner_->Update(row.x, *row.y);
}

void Comparison::Play(const Round& round) {
  const bool teaches = round.present() && round.y;
  if (teaches && round.prediction) Count(learner_->Predict(round.x), *round.y);
  if (label_delay_ == 0) {
    if (teaches) Learn(round.x, *round.y);
    return;
  }
  waiting_.push_back(teaches ? PendingUpdate{round.x, round.y}
                             : PendingUpdate{});
  if (waiting_.size() <= label_delay_) return;
  const PendingUpdate& due = waiting_.front();
  if (due.y) Learn(due.x, *due.y);
  waiting_.pop_front();
}

void Comparison::Open(const std::string& ticket, FeatureView x,
                      std::uint64_t number, std::uint64_t lifetime) {
  while (lifetime > 0 && !tickets_.empty() &&
         tickets_.front().first + lifetime < number) {
    open_.erase(tickets_.front().second);
    tickets_.pop_front();
  }
  open_[ticket] = {number, {x.begin(), x.end()}, learner_->Predict(x)};
  if (lifetime > 0) tickets_.emplace_back(number, ticket);
}

void Comparison::Close(std::string_view ticket, const Label& y) {
  const auto place = open_.find(ticket);
  if (place == open_.end()) return;
  Count(place->second.prediction, y);
  Learn(place->second.x, y);
  open_.erase(place);
}

// One byte for two labels, as states have always had it.
void Comparison::Write(const PendingUpdate& lesson, ByteWriter& writer) {
  const bool bit = lesson.y && lesson.y->kind() == LabelKind::kTwo;
  const std::uint8_t of_two = bit && lesson.y->index() == 1 ? 2 : 1;
  const std::uint8_t label = !lesson.y ? 0 : !bit ? 3 : of_two;
  writer.Number(label);
  WriteFeatures(lesson.x, writer);
  if (label < 3) return;
  writer.Number(static_cast<std::uint8_t>(lesson.y->kind()));
  writer.Real(lesson.y->number());
}

std::optional<Comparison::PendingUpdate> Comparison::Read(ByteReader& reader) {
  const auto label = reader.Number<std::uint8_t>();
  auto x = ReadFeatures(reader);
  if (label > 3 || !x) return std::nullopt;
  PendingUpdate lesson{.x = *std::move(x)};
  if (label == 1 || label == 2) lesson.y = Label(label == 2);
  if (label == 3) {
    const auto kind = reader.Number<std::uint8_t>();
    const double value = reader.Real();
    const bool classes = kind == static_cast<std::uint8_t>(LabelKind::kClasses);
    if (!std::isfinite(value) || (classes && !(value >= 0 && value < 0x1p32))) {
      return std::nullopt;
    }
    lesson.y = classes ? Label::OfClass(static_cast<std::uint32_t>(value))
                       : Label::OfNumber(value);
  }
  return reader.failed() ? std::nullopt : std::optional(std::move(lesson));
}

void Comparison::Save(ByteWriter& writer) const {
  learner_->Save(writer);
  writer.Number(mistakes_);
  writer.Number(static_cast<std::uint64_t>(waiting_.size()));
  for (const PendingUpdate& lesson : waiting_) Write(lesson, writer);
}

Status Comparison::Load(ByteReader& reader) {
  SOTTO_TRY(learner_->Load(reader));
  mistakes_ = reader.Number<std::uint64_t>();
  const auto size = reader.Number<std::uint64_t>();
  if (reader.failed() || size > label_delay_ || size > reader.RoomFor(9)) {
    return Corrupt();
  }
  for (std::uint64_t i = 0; i < size; ++i) {
    auto lesson = Read(reader);
    if (!lesson) return Corrupt();
    waiting_.push_back(*std::move(lesson));
  }
  return Ok();
}

void Comparison::SaveLater(ByteWriter& writer) const {
  writer.Real(error_);
  writer.Number(static_cast<std::uint64_t>(open_.size()));
  for (const auto& [ticket, row] : open_) {
    writer.Text(ticket);
    writer.Number(row.number);
    WriteFeatures(row.x, writer);
  }
}

// Predictions are made again: the learner is as it was saved, not as it was
// when the rounds were opened, which is near enough for a comparison.
Status Comparison::LoadLater(ByteReader& reader) {
  error_ = reader.Real();
  const auto size = reader.Number<std::uint64_t>();
  if (reader.failed() || !(error_ >= 0) || size > reader.RoomFor(20)) {
    return Corrupt();
  }
  for (std::uint64_t i = 0; i < size; ++i) {
    std::string ticket(reader.Text());
    const auto number = reader.Number<std::uint64_t>();
    auto x = ReadFeatures(reader);
    if (!x) return Corrupt();
    Label prediction = learner_->Predict(*x);
    tickets_.emplace_back(number, ticket);
    open_[std::move(ticket)] = {number, *std::move(x), prediction};
  }
  std::ranges::sort(tickets_);
  return Ok();
}

}  // namespace sotto
