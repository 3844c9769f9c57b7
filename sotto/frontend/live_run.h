#pragma once

#include <csignal>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "sotto/base/json.h"
#include "sotto/base/result.h"
#include "sotto/data/files/state_keeper.h"
#include "sotto/data/streams/line_io.h"
#include "sotto/data/streams/live_lines.h"
#include "sotto/data/streams/row_error.h"
#include "sotto/frontend/run_failure.h"
#include "sotto/online/session.h"

namespace sotto {

// A session over JSON lines, for programs that learn the label later:
//
//   in  {"id":"a","x":[0.5],"user":"u1"}
//   out {"id":"a","prediction":1,"ticket":"4f..."}
//   in  {"ticket":"4f...","y":1}
//   out {"ok":true}
//
// A line in, a line out, in order. A line that cannot be used is answered by
// {"id":...,"error":...} and is an empty round; every label that is refused
// gets the same answer. The state is on disk before the first answer and, with
// --save-every 1, before every answer.
//
// Threads: not thread-safe.
class LiveRun {
 public:
  struct Parts {
    LineWriter* out = nullptr;
    std::string state{};           // where it is saved; empty: nowhere
    std::uint64_t save_every = 0;  // rounds; 0: by the clock
  };

  LiveRun(Session& session, LiveLines& lines, Parts parts);

  // The input is about to wait. `waits` as in StateKeeper::Pause.
  Status Pause(const std::function<bool(int)>& waits);
  // To the end of the input, an interrupt, the model's halt or a failure.
  std::optional<RunFailure> Run(LineReader& in,
                                const volatile std::sig_atomic_t* stop);

 private:
  // The answer to a line.
  Result<std::string> Answer(std::string_view line);
  Result<std::string> AnswerRound(bool usable);
  Result<std::string> AnswerLabel(bool usable);
  bool Fail(RunFailure::Of of, const Error& error);
  bool Kept(const Status& status);
  Status Release();

  Session& session_;
  LiveLines& lines_;
  Parts parts_;
  StateKeeper keeper_;
  LiveLine line_;  // memory is reused
  RowError fault_;
  std::optional<RunFailure> failure_;
};

}  // namespace sotto
