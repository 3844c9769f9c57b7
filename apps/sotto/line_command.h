#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "sotto/accounting/guarantee.h"
#include "sotto/base/bytes.h"
#include "sotto/base/result.h"
#include "sotto/data/streams/line_io.h"
#include "sotto/frontend/line_options.h"
#include "sotto/frontend/line_state.h"
#include "sotto/random/history_rng.h"

namespace sotto::app {

// A run over standard input: what it answers, reports and saves. A line that
// cannot be answered ends it with an error; the state is then the one after the
// line before, and the privacy statement is made for the answers that were
// given.
struct LineRun {
  std::string_view kind;
  HistoryRng* rng = nullptr;
  // Fails, and changes only the noise, if there is no answer.
  std::function<Status(std::string_view line, LineWriter& out)> answer;
  std::function<bool()> ended = [] { return false; };
  std::function<void(ByteWriter&)> save;
  std::function<std::string()> expectation;
  Guarantee guarantee;
};

// Returns the exit code.
int RunLines(const LineStart& start, const LineRun& run);

}  // namespace sotto::app
