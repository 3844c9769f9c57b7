#pragma once

#include <csignal>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "sotto/base/result.h"
#include "sotto/data/files/held_state.h"
#include "sotto/data/files/state_keeper.h"
#include "sotto/data/streams/line_io.h"
#include "sotto/data/streams/live_lines.h"
#include "sotto/frontend/journaled_lines.h"
#include "sotto/frontend/run_failure.h"
#include "sotto/online/conversation.h"
#include "sotto/online/session.h"

namespace sotto {

// A conversation over JSON lines: reads a line, writes its reply
// (sotto/online/conversation.h), in order. With a journal every reply is on
// disk before it leaves; with a state only, the state follows the replies as
// StateKeeper says.
//
// Threads: not thread-safe.
class LiveRun {
 public:
  struct Parts {
    LineWriter* out = nullptr;
    HeldState* state = nullptr;  // where it is saved; null: nowhere
    // Lines in a commit of the journal, or between two states; 0: as many as
    // have come, or by the clock.
    std::uint64_t save_every = 0;
    JournaledLines* journal = nullptr;  // instead of `state`
    // Called when replies have left, and so when the rounds before them are on
    // disk, if anything is: the place to write what a model publishes. May be
    // empty.
    std::function<void()> replied = {};
  };

  LiveRun(Session& session, LiveLines& lines, Parts parts);

  // The input is about to wait. `waits` as in StateKeeper::Pause.
  Status Pause(const std::function<bool(int)>& waits);
  // To the end of the input, an interrupt, the model's halt or a failure.
  std::optional<RunFailure> Run(LineReader& in,
                                const volatile std::sig_atomic_t* stop);

  // Lines of this run that the state on disk covers.
  std::uint64_t saved() const {
    return parts_.journal != nullptr ? parts_.journal->lines()
                                     : keeper_.saved();
  }

 private:
  void PlayAll(LineReader& in, const volatile std::sig_atomic_t* stop);
  // Answers a line, now or with the next commit.
  void Take(std::string_view line, bool cut);
  void Commit();
  void End();
  Result<std::string> Answer(std::string_view line, bool cut);
  bool Fail(RunFailure::Of of, const Error& error);
  bool Kept(const Status& status);
  Status Release();

  Session& session_;
  Conversation talk_;
  Parts parts_;
  StateKeeper keeper_;
  std::optional<RunFailure> failure_;
};

}  // namespace sotto
