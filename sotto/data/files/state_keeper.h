#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>

#include "sotto/base/result.h"
#include "sotto/data/files/held_state.h"
#include "sotto/data/files/state_file.h"

namespace sotto {

// Keeps the state on disk in step with the answers of a run, so that whatever
// ends it, the run can resume without spending its budget a second time.
//
//   StateKeeper keeper({.held = &held, .every = 1000, .state = Now,
//                       .release = Flush});
//   Status begun = keeper.Begin();             // before the first answer
//   Status kept = keeper.Answered(64);         // more answers are ready
//   Status kept = keeper.Pause(WouldWait);     // the input has nothing more
//   Status ended = keeper.End();               // also after a bad line
//
// The state is on disk before the first answer is released. Then it is written
// after every `every` answers; with 1 the state that covers an answer is on
// disk before the answer is out, with more the state follows the answers. If
// `every` is 0 the clock decides: once a second, less often if saving takes
// more than a twentieth of the time, and when the input pauses for that long.
// The file is marked as in use, with the number of answers that it does not
// cover, until the run ends with a state that covers all of them.
// docs/formats/state.md says what that means after a crash.
//
// Threads: not thread-safe. What `Parts` points to must outlive it.
class StateKeeper {
 public:
  using Clock = std::chrono::steady_clock;

  struct Parts {
    HeldState* held = nullptr;  // null: nothing is kept, answers are released
    std::uint64_t every = 0;    // answers; 0: by the clock
    // The state after all that was answered; may fail as whatever holds it.
    std::function<Result<SavedState>()> state;
    // Gives out all answers that are ready. A state is not written if that
    // fails: none covers an answer that could not be given.
    std::function<Status()> release = [] { return Ok(); };
    std::function<Clock::time_point()> now = [] { return Clock::now(); };
  };

  explicit StateKeeper(Parts parts) : parts_(std::move(parts)) {}

  // Fails as WriteStateFile does; so do the others, and as `release` does.
  Status Begin();
  // Announces that `answers` more answers may go out before Answered is called
  // with them: for answers that are not held back until `release`.
  Status Expect(std::uint64_t answers);
  // Says that `answers` more answers are ready.
  Status Answered(std::uint64_t answers);
  // How many may be answered before Answered is called, so that no state is
  // due in between.
  std::uint64_t MostAtOnce() const;
  // Releases. `waits(milliseconds)` tells whether the input still has nothing
  // after that time.
  Status Pause(const std::function<bool(int)>& waits);
  // Releases, and saves what has not been saved, without the mark; neither if
  // `release` has failed before.
  Status End();
  // The same state without releasing: for a run whose reader has gone, which
  // may have seen any part of the answers.
  Status Save();
  // How many answers the state on disk covers, of those since Begin.
  std::uint64_t saved() const { return saved_; }

 private:
  bool kept() const { return parts_.held != nullptr; }
  Status Write(bool last);
  Status SaveOnTheWay() { return unsaved_ > 0 ? Write(false) : Ok(); }
  Status Release();
  Clock::duration Period() const;

  Parts parts_;
  std::uint64_t saved_ = 0;
  std::uint64_t unsaved_ = 0;
  std::uint64_t until_look_ = 0;  // answers until the clock is looked at
  Clock::time_point saved_at_;
  Clock::duration cost_{};
  bool broken_ = false;  // `release` has failed
};

}  // namespace sotto
