#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "sotto/base/result.h"
#include "sotto/data/streams/live_lines.h"
#include "sotto/durable/journaled.h"
#include "sotto/durable/record.h"
#include "sotto/durable/reply_chain.h"
#include "sotto/online/conversation.h"
#include "sotto/online/session.h"

namespace sotto {

// A conversation whose lines are records of a journal.
//
//   LineMachine machine(session, lines);
//   const Record record = LineMachine::Encode(line, /*cut=*/false);
//   auto reply = machine.Answer({record.type, record.payload});
//
// A record holds the line as it came, so that a replay takes the same way as
// the line took (docs/formats/state.md).
//
// Threads: not thread-safe.
class LineMachine final : public Replayable {
 public:
  // A saved machine: the hash of its replies, and its session.
  struct State {
    ReplyHash replies{};
    std::string session{};
  };

  // Both must outlive it. `replies`: of a machine that is resumed.
  LineMachine(Session& session, LiveLines& lines, const ReplyHash& replies = {})
      : session_(session), talk_(session, lines), replies_(replies) {}

  // `cut` as in Conversation::Answer.
  static Record Encode(std::string_view line, bool cut);

  // The reply to the line of a record; absent once the model has halted. Fails
  // with kCorruption if it is not a record of Encode, and as the session does.
  Result<std::optional<std::string>> Answer(const RecordView& record);

  Status Replay(const RecordView& record) override;
  ReplyHash replies() const override { return replies_.hash(); }

  // Lines that Replay was called with.
  std::uint64_t replayed() const { return replayed_; }

  // Fails as the session does.
  Result<std::string> Save() const;
  // Fails with kCorruption.
  static Result<State> Read(std::string_view bytes);

 private:
  Session& session_;
  Conversation talk_;
  ReplyChain replies_;
  std::uint64_t replayed_ = 0;
};

}  // namespace sotto
