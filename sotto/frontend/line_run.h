#pragma once

#include <csignal>
#include <cstdint>
#include <functional>
#include <string_view>

#include "sotto/base/result.h"
#include "sotto/frontend/line_state.h"
#include "sotto/frontend/line_tools.h"
#include "sotto/random/history_rng.h"

namespace sotto {

// A run over standard input. A line that cannot be answered ends it; the state
// is then the one after the line before.
struct LineRun {
  std::string_view kind;
  LineMechanism& mechanism;
  HistoryRng& rng;
  const volatile std::sig_atomic_t* stop;  // set by a signal handler
  std::function<void(std::uint64_t lines)> progress;
};

struct LineOutcome {
  Status answered = Ok();
  Status kept = Ok();   // the state, at the end
  Status saved = Ok();  // the state, if the run was cut short
  bool reader_left = false;
  std::uint64_t lines = 0;    // answered in this run
  std::uint64_t covered = 0;  // lines that the state on disk covers
};

// Fails if the state cannot be written before the first answer.
Result<LineOutcome> RunLines(const LineStart& start, const LineRun& run);

}  // namespace sotto
