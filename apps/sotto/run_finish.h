#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sotto/base/result.h"
#include "sotto/base/settings.h"
#include "sotto/data/streams/row_error.h"
#include "sotto/frontend/run_failure.h"
#include "sotto/frontend/run_outputs.h"
#include "sotto/online/session.h"
#include "sotto/report/run_report.h"

namespace sotto::app {

// How a run went.
struct Ended {
  std::optional<RunFailure> failure = {};
  std::uint64_t played = 0;
  double seconds = 0;
  SkipCounts skipped = {};
  std::vector<VoteSample> votes = {};
  std::vector<Publication> published = {};
  // Rounds, or lines of a live run, that the state on disk covers.
  std::uint64_t covered = 0;
  bool journaled = false;    // everything that was answered is in a journal
  bool reader_gone = false;  // of the live replies
};

// Whatever keeps a run from starting is wrong usage or bad input, unless the
// system lacks something or a budget is spent: nothing has been answered yet.
int RefuseRun(const Error& error);

// Replaces --hypothesis and --report during a live run. Warns if that fails.
void WriteRelease(const Settings& settings, const Session& session);

// Writes the outputs of a run that has ended, well or not, says how it went,
// and gives the exit code: what was answered was answered.
int FinishRun(const Settings& settings, Session& session, const Ended& ended,
              Predictions* predictions, TextOut& out);

}  // namespace sotto::app
