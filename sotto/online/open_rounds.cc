#include "sotto/online/open_rounds.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace sotto {
namespace {

// The fewest bytes a saved round can take: what a count is checked against.
constexpr std::uint64_t kLeastBytes = 8;
constexpr std::string_view kHex = "0123456789abcdef";

Error Corrupt() { return Corruption("the saved open rounds make no sense"); }

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

std::optional<Label> ReadLabel(ByteReader& reader, const LabelType& type) {
  const auto number = ReadNumber(reader);
  return number ? std::optional(type.FromNumber(*number)) : std::nullopt;
}

}  // namespace

void PendingRound::Save(ByteWriter& writer) const {
  writer.Number(number);
  Write(label, writer);
  writer.Number(static_cast<std::uint8_t>(open != nullptr ? 1 : 0));
  if (open == nullptr) return;
  writer.Real(prediction.number());
  Write(probability, writer);
  open->Save(writer);
}

Result<PendingRound> PendingRound::Load(OnlineModel& model,
                                        const OpenRoundLimits& limits,
                                        ByteReader& reader) {
  PendingRound round;
  round.number = reader.Number<std::uint64_t>();
  round.label = ReadLabel(reader, limits.label);
  const auto answered = reader.Number<std::uint8_t>();
  if (reader.failed() || answered > 1 || round.number == 0 ||
      round.number > limits.rounds ||
      (round.label && !limits.label.Has(*round.label))) {
    return Corrupt();
  }
  if (answered == 0) return round;
  round.prediction = limits.label.FromNumber(reader.Real());
  round.probability = ReadNumber(reader);
  SOTTO_TRY_ASSIGN(auto open, model.LoadRound(reader));
  round.open = std::move(open);
  if (reader.failed() || !limits.label.Has(round.prediction)) return Corrupt();
  return round;
}

std::optional<PendingRound> DelayedRounds::Due() {
  if (waiting_.size() <= delay_) return std::nullopt;
  PendingRound due = std::move(waiting_.front());
  waiting_.pop_front();
  return due;
}

void DelayedRounds::Save(ByteWriter& writer) const {
  writer.Number(static_cast<std::uint64_t>(waiting_.size()));
  for (const PendingRound& round : waiting_) round.Save(writer);
}

Status DelayedRounds::Load(OnlineModel& model, const OpenRoundLimits& limits,
                           ByteReader& reader) {
  const auto size = reader.Number<std::uint64_t>();
  if (size > delay_ || size > reader.RoomFor(kLeastBytes)) return Corrupt();
  for (std::uint64_t i = 0; i < size; ++i) {
    SOTTO_TRY_ASSIGN(auto round, PendingRound::Load(model, limits, reader));
    waiting_.push_back(std::move(round));
  }
  return Ok();
}

namespace {

// Above 15: no digit.
unsigned HexValue(char digit) {
  const auto code = static_cast<unsigned char>(digit);
  const unsigned number = code - unsigned{'0'};
  const unsigned letter = code - unsigned{'a'};
  return number < 10 ? number : letter < 6 ? letter + 10 : 16;
}

}  // namespace

std::optional<TicketedRounds::Digits> TicketedRounds::Parse(
    std::string_view ticket) {
  Digits digits;
  if (ticket.size() != 32) return std::nullopt;
  for (std::size_t i = 0; i < ticket.size(); ++i) {
    const unsigned value = HexValue(ticket[i]);
    if (value > 15) return std::nullopt;
    std::uint64_t& half = i < 16 ? digits.high : digits.low;
    half = half << 4 | value;
  }
  return digits;
}

std::string TicketedRounds::Text(const Digits& ticket) {
  std::string text(32, '0');
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::uint64_t half = i < 16 ? ticket.high : ticket.low;
    text[i] = kHex[half >> (60 - 4 * (i % 16)) & 15];
  }
  return text;
}

void TicketedRounds::Put(Entry entry) {
  numbers_.emplace(entry.ticket, entry.number);
  rounds_.push_back(std::move(entry));
}

TicketedRounds::Entry& TicketedRounds::At(std::uint64_t number) {
  return *std::ranges::lower_bound(rounds_, number, {}, &Entry::number);
}

void TicketedRounds::Keep(std::string_view ticket, PendingRound round) {
  const auto digits = Parse(ticket);
  assert(digits);
  const std::uint64_t number = round.number;
  Put({number, *digits, std::make_unique<PendingRound>(std::move(round))});
}

TicketedRounds::Answer TicketedRounds::Take(std::string_view ticket,
                                            const Label& y) {
  const auto digits = Parse(ticket);
  if (!digits) return {};
  const auto number = numbers_.find(*digits);
  if (number == numbers_.end()) return {};
  Entry& entry = At(number->second);
  if (!entry.waiting) {
    return {entry.label == y ? Outcome::kAlready : Outcome::kRefused};
  }
  Answer answer{Outcome::kTaken, std::move(*entry.waiting)};
  entry.waiting.reset();
  entry.label = y;
  return answer;
}

void TicketedRounds::Forget(std::string_view ticket) {
  const auto digits = Parse(ticket);
  const auto number = digits ? numbers_.find(*digits) : numbers_.end();
  if (number == numbers_.end()) return;
  Entry& entry = At(number->second);
  entry.waiting.reset();
  entry.label.reset();
  numbers_.erase(number);
  const auto forgotten = [](const Entry& e) { return !e.waiting && !e.label; };
  while (!rounds_.empty() && forgotten(rounds_.back())) rounds_.pop_back();
  while (!rounds_.empty() && forgotten(rounds_.front())) rounds_.pop_front();
}

void TicketedRounds::Expire(std::uint64_t now) {
  if (lifetime_ == 0) return;
  while (!rounds_.empty() && rounds_.front().number + lifetime_ < now) {
    numbers_.erase(rounds_.front().ticket);
    rounds_.pop_front();
  }
}

void TicketedRounds::Save(ByteWriter& writer) const {
  writer.Number(static_cast<std::uint64_t>(numbers_.size()));
  for (const Entry& entry : rounds_) {
    if (!entry.waiting && !entry.label) continue;  // forgotten
    writer.Number(entry.number);
    writer.Text(Text(entry.ticket));
    Write(entry.label, writer);
    if (!entry.label) entry.waiting->Save(writer);
  }
}

Status TicketedRounds::Load(OnlineModel& model, const OpenRoundLimits& limits,
                            ByteReader& reader) {
  const auto size = reader.Number<std::uint64_t>();
  if (size > reader.RoomFor(kLeastBytes)) return Corrupt();
  for (std::uint64_t i = 0; i < size; ++i) {
    Entry entry{.number = reader.Number<std::uint64_t>()};
    const auto ticket = Parse(reader.Text());
    entry.label = ReadLabel(reader, limits.label);
    const std::uint64_t last = rounds_.empty() ? 0 : rounds_.back().number;
    if (entry.number <= last || entry.number > limits.rounds || !ticket ||
        numbers_.contains(*ticket) ||
        (entry.label && !limits.label.Has(*entry.label))) {
      return Corrupt();
    }
    entry.ticket = *ticket;
    if (!entry.label) {
      SOTTO_TRY_ASSIGN(auto round, PendingRound::Load(model, limits, reader));
      if (round.number != entry.number || round.open == nullptr) {
        return Corrupt();
      }
      entry.waiting = std::make_unique<PendingRound>(std::move(round));
    }
    if (reader.failed()) return Corrupt();
    Put(std::move(entry));
  }
  return Ok();
}

}  // namespace sotto
