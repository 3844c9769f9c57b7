#include "sotto/online/pending_rounds.h"

namespace sotto {

PendingRounds::Due PendingRounds::PlayEmptyRound(std::uint64_t change) {
  Waiting& slot = Slot(clock_);  // of `delay` + 1 rounds ago
  const Due due{.counts = slot.wrong && slot.change == change,
                .point = slot.point,
                .prediction = slot.prediction};
  slot = {.change = change};
  ++clock_;
  return due;
}

PendingRounds::Round PendingRounds::Open(std::uint64_t change,
                                         std::uint32_t point, bool prediction) {
  const Round round{.prediction = prediction, .index = clock_ - 1};
  Slot(round.index) = {.change = change,
                       .point = point,
                       .asked = true,
                       .prediction = prediction};
  return round;
}

void PendingRounds::Close(const Round& round, bool y) {
  if (clock_ - round.index > waiting_.size()) return;
  Waiting& waiting = Slot(round.index);
  waiting.wrong = waiting.asked && waiting.prediction != y;
}

void PendingRounds::Save(ByteWriter& writer) const {
  for (const Waiting& waiting : waiting_) {
    writer.Number(waiting.change);
    writer.Number(waiting.point);
    writer.Number(static_cast<std::uint8_t>((waiting.prediction ? 1 : 0) +
                                            (waiting.wrong ? 2 : 0) +
                                            (waiting.asked ? 4 : 0)));
  }
}

bool PendingRounds::Load(ByteReader& reader, std::size_t points) {
  for (Waiting& waiting : waiting_) {
    waiting.change = reader.Number<std::uint64_t>();
    waiting.point = reader.Number<std::uint32_t>();
    const auto bits = reader.Number<std::uint8_t>();
    if (bits > 7 || waiting.point >= points) return false;
    waiting.prediction = (bits & 1) != 0;
    waiting.wrong = (bits & 2) != 0;
    waiting.asked = (bits & 4) != 0;
  }
  return true;
}

}  // namespace sotto
