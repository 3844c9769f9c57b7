#include "sotto/online/open_rounds.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>
#include <utility>

namespace sotto {
namespace {

// The fewest bytes a saved round can take. Counts are checked against it.
constexpr std::uint64_t kLeastBytes = 8;

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

namespace {

constexpr std::size_t kSizeAt = sizeof(PackedRound::Ticket);
constexpr std::size_t kSavedAt = kSizeAt + sizeof(std::uint32_t);

}  // namespace

PackedRound::PackedRound(const Ticket& ticket, const PendingRound& round) {
  ByteWriter writer;
  round.Save(writer);
  *this = PackedRound(ticket, writer.bytes());
}

PackedRound::PackedRound(const Ticket& ticket, std::string_view saved)
    : bytes_(std::make_unique_for_overwrite<char[]>(kSavedAt + saved.size())) {
  const auto size = static_cast<std::uint32_t>(saved.size());
  std::memcpy(bytes_.get(), ticket.data(), kSizeAt);
  std::memcpy(bytes_.get() + kSizeAt, &size, sizeof(size));
  saved.copy(bytes_.get() + kSavedAt, saved.size());
}

PackedRound::Ticket PackedRound::ticket() const {
  Ticket ticket;
  std::memcpy(ticket.data(), bytes_.get(), kSizeAt);
  return ticket;
}

std::string_view PackedRound::saved() const {
  std::uint32_t size = 0;
  std::memcpy(&size, bytes_.get() + kSizeAt, sizeof(size));
  return {bytes_.get() + kSavedAt, size};
}

std::uint64_t PackedRound::number() const {
  return ByteReader(saved()).Number<std::uint64_t>();
}

Result<PendingRound> PackedRound::Unpack(OnlineModel& model,
                                         const LabelType& type) const {
  ByteReader reader(saved());
  return PendingRound::Load(model, {type, number()}, reader);
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

// Above 15: not a digit.
unsigned HexValue(char digit) {
  const auto code = static_cast<unsigned char>(digit);
  const unsigned number = code - unsigned{'0'};
  const unsigned letter = code - unsigned{'a'};
  return number < 10 ? number : letter < 6 ? letter + 10 : 16;
}

HashTable::Hash ReadTicket(ByteReader& reader) {
  const auto high = reader.Number<std::uint64_t>();
  return {high, reader.Number<std::uint64_t>()};
}

}  // namespace

TicketedRounds::TicketedRounds(std::uint64_t lifetime, const LabelType& type)
    : type_(type),
      lifetime_(lifetime),
      span_(lifetime == 0 ? ~std::uint64_t{0} : (lifetime + 7) / 8),
      mark_bytes_(type.classes() > 0 && type.classes() <= 256 ? 1 : 8),
      places_(sizeof(std::uint64_t)) {}

std::optional<TicketedRounds::Ticket> TicketedRounds::Parse(
    std::string_view text) {
  Ticket ticket = {};
  if (text.size() != 32) return std::nullopt;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const unsigned value = HexValue(text[i]);
    if (value > 15) return std::nullopt;
    ticket[i / 16] = ticket[i / 16] << 4 | value;
  }
  return ticket;
}

void TicketedRounds::Put(PackedRound round) {
  const std::uint64_t place = first_place_ + rounds_.size();
  std::memcpy(places_.Insert(round.ticket()), &place, sizeof(place));
  rounds_.push_back(std::move(round));
}

PackedRound TicketedRounds::Remove(const Ticket& ticket) {
  const std::uint8_t* const found = places_.Find(ticket);
  if (found == nullptr) return {};
  std::uint64_t place = 0;
  std::memcpy(&place, found, sizeof(place));
  places_.Erase(ticket);
  PackedRound round = std::move(rounds_[place - first_place_]);
  TrimFront();
  return round;
}

void TicketedRounds::TrimFront() {
  while (!rounds_.empty() && !rounds_.front()) {
    rounds_.pop_front();
    ++first_place_;
  }
}

void TicketedRounds::Keep(std::string_view text, const PendingRound& round) {
  const auto ticket = Parse(text);
  assert(ticket);
  Put(PackedRound(*ticket, round));
}

HashTable& TicketedRounds::Group(std::uint64_t number) {
  const std::uint64_t group = number / span_;
  auto place = std::ranges::lower_bound(marks_, group, {}, &Marks::group);
  if (place == marks_.end() || place->group != group) {
    place = marks_.insert(place, Marks{group, HashTable(mark_bytes_)});
  }
  return place->labels;
}

const std::uint8_t* TicketedRounds::FindMark(const Ticket& ticket) const {
  for (const Marks& marks : marks_) {
    if (const std::uint8_t* mark = marks.labels.Find(ticket)) return mark;
  }
  return nullptr;
}

void TicketedRounds::AddMark(const Ticket& ticket, std::uint64_t number,
                             const Label& y) {
  std::uint8_t* const mark = Group(number).Insert(ticket);
  const std::uint64_t bits = mark_bytes_ == 1 ? y.index() : y.bits();
  for (std::size_t i = 0; i < mark_bytes_; ++i) {
    mark[i] = static_cast<std::uint8_t>(bits >> (8 * i) & 0xff);
  }
}

Label TicketedRounds::MarkedLabel(const std::uint8_t* mark) const {
  std::uint64_t bits = 0;
  for (std::size_t i = mark_bytes_; i-- > 0;) bits = bits << 8 | mark[i];
  return type_.FromNumber(mark_bytes_ == 1 ? static_cast<double>(bits)
                                           : std::bit_cast<double>(bits));
}

std::size_t TicketedRounds::mark_bytes() const {
  std::size_t bytes = 0;
  for (const Marks& marks : marks_) bytes += marks.labels.bytes();
  return bytes;
}

bool TicketedRounds::IsOpen(std::string_view text) const {
  const auto ticket = Parse(text);
  return ticket && places_.Find(*ticket) != nullptr;
}

bool TicketedRounds::IsLost(std::string_view text, std::uint64_t number,
                            std::uint64_t now) const {
  if (number > now) return true;
  const bool alive = lifetime_ == 0 || now - number <= lifetime_;
  const auto ticket = Parse(text);
  return alive && ticket && places_.Find(*ticket) == nullptr &&
         FindMark(*ticket) == nullptr;
}

TicketedRounds::Outcome TicketedRounds::Look(std::string_view text,
                                             const Label& y) const {
  const auto ticket = Parse(text);
  if (!ticket) return Outcome::kRefused;
  if (places_.Find(*ticket) != nullptr) return Outcome::kTaken;
  const std::uint8_t* mark = FindMark(*ticket);
  const bool same = mark != nullptr && MarkedLabel(mark) == y;
  return same ? Outcome::kAlready : Outcome::kRefused;
}

TicketedRounds::Answer TicketedRounds::Take(std::string_view text,
                                            const Label& y) {
  const Outcome outcome = Look(text, y);
  if (outcome != Outcome::kTaken) return {outcome};
  const auto ticket = Parse(text);
  Answer answer{Outcome::kTaken, Remove(*ticket)};
  AddMark(*ticket, answer.round.number(), y);
  return answer;
}

void TicketedRounds::Forget(std::string_view text) {
  const auto ticket = Parse(text);
  if (!ticket) return;
  for (Marks& marks : marks_) marks.labels.Erase(*ticket);
  Remove(*ticket);
}

void TicketedRounds::Expire(std::uint64_t now) {
  if (lifetime_ == 0 || now <= lifetime_) return;
  const std::uint64_t first = now - lifetime_;  // the oldest that lives
  while (!rounds_.empty() && rounds_.front().number() < first) {
    Remove(rounds_.front().ticket());
  }
  while (!marks_.empty() && marks_.front().group < first / span_) {
    marks_.pop_front();
  }
}

void TicketedRounds::Save(ByteWriter& writer) const {
  writer.Number(static_cast<std::uint64_t>(open()));
  for (const PackedRound& round : rounds_) {
    if (!round) continue;
    for (const std::uint64_t half : round.ticket()) writer.Number(half);
    writer.Raw(round.saved());
  }
  writer.Number(static_cast<std::uint64_t>(marks_.size()));
  for (const Marks& marks : marks_) {
    writer.Number(marks.group);
    writer.Number(static_cast<std::uint64_t>(marks.labels.size()));
    marks.labels.ForEach([&](const Ticket& ticket, const std::uint8_t* mark) {
      for (const std::uint64_t half : ticket) writer.Number(half);
      writer.Raw({reinterpret_cast<const char*>(mark), mark_bytes_});
    });
  }
}

Status TicketedRounds::Load(OnlineModel& model, const OpenRoundLimits& limits,
                            ByteReader& reader) {
  const auto size = reader.Number<std::uint64_t>();
  if (size > reader.RoomFor(sizeof(Ticket) + kLeastBytes)) return Corrupt();
  places_.Reserve(static_cast<std::size_t>(size));
  std::uint64_t last = 0;
  for (std::uint64_t i = 0; i < size; ++i) {
    const Ticket ticket = ReadTicket(reader);
    ByteReader start = reader;
    SOTTO_TRY_ASSIGN(const auto round,
                     PendingRound::Load(model, limits, reader));
    if (reader.failed() || round.number <= last || round.open == nullptr ||
        round.label) {
      return Corrupt();
    }
    last = round.number;
    Put(PackedRound(ticket, start.Raw(start.RoomFor(1) - reader.RoomFor(1))));
  }
  if (open() != size) return Corrupt();  // a ticket came twice
  return LoadMarks(limits, reader);
}

Status TicketedRounds::LoadMarks(const OpenRoundLimits& limits,
                                 ByteReader& reader) {
  const auto groups = reader.Number<std::uint64_t>();
  if (groups > reader.RoomFor(2 * sizeof(std::uint64_t))) return Corrupt();
  for (std::uint64_t i = 0; i < groups; ++i) {
    Marks marks{reader.Number<std::uint64_t>(), HashTable(mark_bytes_)};
    const auto size = reader.Number<std::uint64_t>();
    const bool later = marks_.empty() || marks.group > marks_.back().group;
    if (!later || marks.group > limits.rounds / span_ ||
        size > reader.RoomFor(sizeof(Ticket) + mark_bytes_)) {
      return Corrupt();
    }
    marks.labels.Reserve(static_cast<std::size_t>(size));
    for (std::uint64_t k = 0; k < size; ++k) {
      const Ticket ticket = ReadTicket(reader);
      const std::string_view bytes = reader.Raw(mark_bytes_);
      if (reader.failed() || places_.Find(ticket) != nullptr) return Corrupt();
      std::uint8_t* const mark = marks.labels.Insert(ticket);
      bytes.copy(reinterpret_cast<char*>(mark), mark_bytes_);
      if (!type_.Has(MarkedLabel(mark))) return Corrupt();
    }
    if (marks.labels.size() != size) return Corrupt();
    marks_.push_back(std::move(marks));
  }
  return Ok();
}

}  // namespace sotto
