#pragma once

#include <csignal>
#include <cstdio>
#include <functional>
#include <string>

#include "run_flags.h"
#include "run_report.h"
#include "stream_driver.h"

namespace sotto::app {

// What all models share when `sotto run` drives them over a stream: the table,
// the files, the reports and the exit code.
//
//   if (Status good = CheckRunFlags(flags); !good) return RefuseRun(...);
//   return RunStream(flags, run, reader, driver, CatchInterrupts());
//
// Threads: not thread-safe.
struct StreamRun {
  StreamModel* model = nullptr;
  RunTally* tally = nullptr;
  PublicMistakes* public_mistakes = nullptr;  // may be absent
  Comparison* comparison = nullptr;           // may be absent
  std::string announcement;                   // a line before the table
  // Model, parameters, plan and counts; the rest is filled in.
  std::function<RunReport()> report;
  std::function<Status()> save;               // writes --save
  std::function<Status()> publish = nullptr;  // writes what else there is
};

// Whatever keeps a run from starting is wrong usage or bad input: nothing has
// been answered yet.
int RefuseRun(const Error& error);

// What cannot be written, or not to the same place, is refused before anybody
// is answered.
Status CheckRunFlags(const RunFlags& flags);

// Plays the stream and writes all outputs. `driver` is set while it plays, for
// the reader to call before it waits.
int RunStream(const RunFlags& flags, const StreamRun& run,
              ExampleReader& reader, StreamDriver*& driver,
              const volatile std::sig_atomic_t* stop);

}  // namespace sotto::app
