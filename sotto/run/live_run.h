#pragma once

#include <csignal>
#include <optional>
#include <string>

#include "sotto/base/json.h"
#include "sotto/base/result.h"
#include "sotto/run/run_failure.h"
#include "sotto/run/state_saver.h"
#include "sotto/session/session.h"
#include "sotto/streams/line_io.h"
#include "sotto/streams/live_lines.h"

namespace sotto {

// A session over JSON lines, for programs that learn the label later:
//
//   in  {"id":"a","x":[0.5],"user":"u1"}
//   out {"id":"a","prediction":1,"ticket":"4f..."}
//   in  {"ticket":"4f...","y":1}
//   out {"ok":true}
//
// A line in, a line out, in order. A line that cannot be used is answered by
// {"id":...,"error":...} and is an empty round; every label that is refused gets
// the same answer. The state is on disk before the first answer and, with
// --save-every N, before the answers of every N-th round go out.
//
// Threads: not thread-safe.
class LiveRun {
 public:
  struct Parts {
    LineWriter* out = nullptr;
    const StateSaver* saver = nullptr;  // may be absent
  };

  LiveRun(Session& session, LiveLines& lines, Parts parts)
      : session_(session), lines_(lines), parts_(parts) {}

  // To the end of the input, an interrupt, the model's halt or a failure.
  std::optional<RunFailure> Run(LineReader& in,
                                const volatile std::sig_atomic_t* stop);

 private:
  // The answer to a line.
  Result<Json> Answer(std::string_view line);
  Result<Json> AnswerRound(LiveLine& line);
  Result<Json> AnswerLabel(const LiveLine& line);
  bool Fail(RunFailure::Of of, const Error& error);
  bool Save();

  Session& session_;
  LiveLines& lines_;
  Parts parts_;
  LiveLine line_;  // memory is reused
  std::optional<RunFailure> failure_;
};

}  // namespace sotto
