#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "sotto/base/bytes.h"
#include "sotto/base/label.h"
#include "sotto/base/result.h"
#include "sotto/durable/journaled.h"
#include "sotto/durable/record.h"
#include "sotto/durable/reply_chain.h"
#include "sotto/online/session.h"

namespace sotto {

// The answer to a round, for its own user.
struct RoundOutcome {
  enum class Kind : std::uint8_t {
    kAnswered,
    kBadRow,
    kOverLimit,
    kAbsent,
    kHalted,  // the model has ended: no round
  };
  Kind kind = Kind::kAbsent;
  Label prediction{};
  std::optional<double> probability{};
  // 32 hexadecimal digits. Empty: a user over the limit, who was answered from
  // what is published.
  std::string ticket{};
  std::uint64_t phase = 0;  // of the hypothesis before the round
  // Number of the hypothesis that another process answered from.
  std::optional<std::uint64_t> release{};
};

// A session that is driven by records.
//
//   SessionMachine machine(session);
//   RoundRecord record{.round = round};              // user: a name's hash
//   journaled.Commit({EncodeRound(record)}, [&]() -> Status {
//     SOTTO_TRY_ASSIGN(outcome, machine.Play(record));
//     return Ok();
//   });
//
// A label gets a record only if TicketIsOpen before the block; the outcome of
// any other is that of Look, which changes nothing.
//
// Threads: not thread-safe.
class SessionMachine final : public Replayable {
 public:
  // The session must outlive it. `replies`: of a machine that is resumed.
  explicit SessionMachine(Session& session, const ReplyHash& replies = {})
      : session_(session),
        replies_(replies),
        phase_(session.phase()),
        halted_(session.halted()) {}

  // Fail as the session does; then neither is to be used.
  Result<RoundOutcome> Play(RoundRecord& record);
  Result<TicketedRounds::Outcome> Take(const LabelRecord& label);

  bool TicketIsOpen(const Hash16& ticket) const {
    return session_.TicketIsOpen(WriteHex16(ticket));
  }
  // True if records that are gone gave out this genuine ticket.
  bool TicketIsLost(const Hash16& ticket, std::uint64_t number) const {
    return session_.TicketIsLost(WriteHex16(ticket), number);
  }
  // kAlready for the label that the ticket has; otherwise kRefused.
  TicketedRounds::Outcome Look(const LabelRecord& label) const;

  // ROUND and LABEL.
  Status Replay(const RecordView& record) override;
  ReplyHash replies() const override { return replies_.hash(); }

 private:
  void Note(const RoundOutcome& outcome);
  void NoteRelease();

  Session& session_;
  ReplyChain replies_;
  std::uint64_t phase_;  // whose release is in the chain
  bool halted_;
};

// A probability as replies show it: 6 digits behind the point, so that the last
// bits, in which processors may differ, are not part of a reply.
double ShownProbability(double probability);

}  // namespace sotto
