#include "sotto/session/open_rounds.h"

#include <utility>

namespace sotto {
namespace {

// The fewest bytes a saved round can take: what a count is checked against.
constexpr std::uint64_t kLeastBytes = 8;

Error Corrupt() {
  return {ErrorCode::kCorruption, "the saved open rounds make no sense"};
}

void Write(const std::optional<double>& number, ByteWriter& writer) {
  writer.Number(static_cast<std::uint8_t>(number ? 1 : 0));
  if (number) writer.Real(*number);
}

void Write(const std::optional<Label>& label, ByteWriter& writer) {
  Write(label ? std::optional(label->number()) : std::nullopt, writer);
}

std::optional<double> ReadNumber(ByteReader& reader) {
  if (reader.Number<std::uint8_t>() == 0) return std::nullopt;
  return reader.Real();
}

std::optional<Label> ReadLabel(ByteReader& reader) {
  const auto number = ReadNumber(reader);
  return number ? std::optional(Label::OfNumber(*number)) : std::nullopt;
}

}  // namespace

void WaitingRound::Save(ByteWriter& writer) const {
  writer.Number(number);
  Write(label, writer);
  writer.Number(static_cast<std::uint8_t>(open != nullptr ? 1 : 0));
  if (open == nullptr) return;
  writer.Real(told.number());
  Write(probability, writer);
  open->Save(writer);
}

Result<WaitingRound> WaitingRound::Load(OnlineModel& model,
                                        const OpenRoundLimits& limits,
                                        ByteReader& reader) {
  WaitingRound round;
  round.number = reader.Number<std::uint64_t>();
  round.label = ReadLabel(reader);
  const auto answered = reader.Number<std::uint8_t>();
  if (reader.failed() || answered > 1 || round.number == 0 ||
      round.number > limits.rounds ||
      (round.label && !limits.label.Has(*round.label))) {
    return Corrupt();
  }
  if (answered == 0) return round;
  round.told = Label::OfNumber(reader.Real());
  round.probability = ReadNumber(reader);
  auto open = model.LoadRound(reader);
  if (!open) return open.error();
  round.open = *std::move(open);
  if (reader.failed() || !limits.label.Has(round.told)) return Corrupt();
  return round;
}

std::optional<WaitingRound> DelayedRounds::Due() {
  if (waiting_.size() <= delay_) return std::nullopt;
  WaitingRound due = std::move(waiting_.front());
  waiting_.pop_front();
  return due;
}

void DelayedRounds::Save(ByteWriter& writer) const {
  writer.Number(static_cast<std::uint64_t>(waiting_.size()));
  for (const WaitingRound& round : waiting_) round.Save(writer);
}

Status DelayedRounds::Load(OnlineModel& model, const OpenRoundLimits& limits,
                           ByteReader& reader) {
  const auto size = reader.Number<std::uint64_t>();
  if (size > delay_ || size > reader.RoomFor(kLeastBytes)) return Corrupt();
  for (std::uint64_t i = 0; i < size; ++i) {
    auto round = WaitingRound::Load(model, limits, reader);
    if (!round) return round.error();
    waiting_.push_back(*std::move(round));
  }
  return Ok();
}

void TicketedRounds::Put(std::uint64_t number, Entry entry) {
  numbers_.emplace(entry.ticket, number);
  rounds_.emplace(number, std::move(entry));
}

void TicketedRounds::Keep(std::string ticket, WaitingRound round) {
  const std::uint64_t number = round.number;
  Put(number, {std::move(ticket), std::move(round), std::nullopt});
}

TicketedRounds::Answer TicketedRounds::Take(std::string_view ticket,
                                            const Label& y) {
  const auto number = numbers_.find(std::string(ticket));
  if (number == numbers_.end()) return {};
  Entry& entry = rounds_.at(number->second);
  if (!entry.waiting) {
    return {entry.label == y ? Outcome::kAlready : Outcome::kRefused};
  }
  Answer answer{Outcome::kTaken, std::move(entry.waiting)};
  entry.waiting.reset();
  entry.label = y;
  return answer;
}

void TicketedRounds::Expire(std::uint64_t now) {
  if (lifetime_ == 0) return;
  while (!rounds_.empty() && rounds_.begin()->first + lifetime_ < now) {
    numbers_.erase(rounds_.begin()->second.ticket);
    rounds_.erase(rounds_.begin());
  }
}

void TicketedRounds::Save(ByteWriter& writer) const {
  writer.Number(static_cast<std::uint64_t>(rounds_.size()));
  for (const auto& [number, entry] : rounds_) {
    writer.Number(number);
    writer.Text(entry.ticket);
    Write(entry.label, writer);
    if (!entry.label) entry.waiting->Save(writer);
  }
}

Status TicketedRounds::Load(OnlineModel& model, const OpenRoundLimits& limits,
                            ByteReader& reader) {
  const auto size = reader.Number<std::uint64_t>();
  if (size > reader.RoomFor(kLeastBytes)) return Corrupt();
  for (std::uint64_t i = 0; i < size; ++i) {
    const auto number = reader.Number<std::uint64_t>();
    Entry entry;
    entry.ticket = std::string(reader.Text());
    entry.label = ReadLabel(reader);
    if (number == 0 || number > limits.rounds || rounds_.contains(number) ||
        numbers_.contains(entry.ticket) ||
        (entry.label && !limits.label.Has(*entry.label))) {
      return Corrupt();
    }
    if (!entry.label) {
      auto round = WaitingRound::Load(model, limits, reader);
      if (!round) return round.error();
      if (round->number != number || round->open == nullptr) return Corrupt();
      entry.waiting = *std::move(round);
    }
    if (reader.failed()) return Corrupt();
    Put(number, std::move(entry));
  }
  return Ok();
}

}  // namespace sotto
