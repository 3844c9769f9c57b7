#include "sotto/durable/session_machine.h"

#include <cmath>
#include <utility>

namespace sotto {
namespace {

RoundOutcome::Kind EmptyKind(const Round& round) {
  switch (round.presence) {
    case Presence::kRefused:
      return RoundOutcome::Kind::kOverLimit;
    case Presence::kUnusable:
      return RoundOutcome::Kind::kBadRow;
    case Presence::kPresent:
    case Presence::kAbsent:
      break;
  }
  return RoundOutcome::Kind::kAbsent;
}

}  // namespace

double ShownProbability(double probability) {
  constexpr double kDigits = 1e6;
  return std::nearbyint(probability * kDigits) / kDigits;
}

Result<RoundOutcome> SessionMachine::Play(RoundRecord& record) {
  RoundOutcome outcome;
  if (session_.halted()) {
    outcome.kind = RoundOutcome::Kind::kHalted;
    return outcome;
  }
  Round& round = record.round;
  const std::optional<Label> y = round.y;
  OnlineModel::PublicAnswer answered{};
  if (record.answered) {
    answered = {record.answered->prediction, record.answered->probability};
  }
  SOTTO_TRY_ASSIGN(auto ticket,
                   session_.Open(round, record.answered ? &answered : nullptr));
  if (ticket && y) SOTTO_TRY(session_.Close(*ticket, *y));
  outcome.phase = round.phase;
  outcome.kind = EmptyKind(round);
  if (round.prediction) {
    outcome.kind = RoundOutcome::Kind::kAnswered;
    outcome.prediction = *round.prediction;
    outcome.probability = round.probability;
    outcome.ticket = std::move(ticket).value_or("");
    if (record.answered) outcome.release = record.answered->release;
  }
  Note(outcome);
  NoteRelease();
  return outcome;
}

Result<TicketedRounds::Outcome> SessionMachine::Take(const LabelRecord& label) {
  SOTTO_TRY_ASSIGN(const auto outcome,
                   session_.Close(label.ticket_text(), label.y));
  ByteWriter item;
  item.Number(static_cast<std::uint8_t>(RecordType::kLabel));
  item.Number(static_cast<std::uint8_t>(outcome));
  replies_.Add(item.bytes());
  NoteRelease();
  return outcome;
}

TicketedRounds::Outcome SessionMachine::Look(const LabelRecord& label) const {
  const auto outcome = session_.LookAtLabel(label.ticket_text(), label.y);
  // A ticket that became known within the block cannot have been shown yet.
  return outcome == TicketedRounds::Outcome::kAlready
             ? outcome
             : TicketedRounds::Outcome::kRefused;
}

Status SessionMachine::Replay(const RecordView& record) {
  const LabelType& labels = session_.inputs().label;
  if (record.type == RecordType::kRound) {
    SOTTO_TRY_ASSIGN(auto round, DecodeRound(record.payload, labels));
    SOTTO_TRY(Play(round));
    return Ok();
  }
  if (record.type != RecordType::kLabel) {
    return Corruption("a record of an unexpected type");
  }
  SOTTO_TRY_ASSIGN(const auto label, DecodeLabel(record.payload, labels));
  SOTTO_TRY(Take(label));
  return Ok();
}

void SessionMachine::Note(const RoundOutcome& outcome) {
  ByteWriter item;
  item.Number(static_cast<std::uint8_t>(RecordType::kRound));
  item.Number(static_cast<std::uint8_t>(outcome.kind));
  if (outcome.kind == RoundOutcome::Kind::kAnswered) {
    item.Real(outcome.prediction.number());
    item.Real(ShownProbability(outcome.probability.value_or(-1)));
    item.Raw(outcome.ticket);
    // A free answer names the hypothesis that it comes from.
    if (outcome.ticket.empty()) item.Number(outcome.phase);
    if (outcome.release) item.Number(*outcome.release);
  }
  replies_.Add(item.bytes());
}

// Models publish when their phase changes.
void SessionMachine::NoteRelease() {
  if (session_.phase() == phase_ && session_.halted() == halted_) return;
  phase_ = session_.phase();
  halted_ = session_.halted();
  ByteWriter item;
  item.Number(phase_);
  item.Number(static_cast<std::uint8_t>(halted_ ? 1 : 0));
  session_.model().WriteRelease(item);
  replies_.Add(item.bytes());
}

}  // namespace sotto
