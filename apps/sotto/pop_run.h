#pragma once

#include <memory>
#include <optional>
#include <string>

#include "pop_stream.h"
#include "run_flags.h"
#include "run_tally.h"
#include "sotto/ensembles/process_learner.h"
#include "sotto/learners/learner_spec.h"
#include "sotto/models/pop/pop_plan.h"
#include "sotto/session/comparison.h"
#include "sotto/session/public_mistakes.h"

namespace sotto::app {

// A run of the private online procedure, fresh or from a saved state: the model
// and all that is counted beside it.
//
//   auto saved = ReadPopState(flags);                  // settings into flags
//   auto spec = LearnerSpec::Parse(flags.pop.learner);
//   auto run = saved ? ResumePop(...) : StartPop(...);
//   Status done = SavePop(flags, **run);
//
// The layout of a saved state is in docs/formats/state.md.
// Threads: not thread-safe.
struct PopRun {
  LearnerSpec spec;
  std::unique_ptr<ProcessLearner> process;  // outlives the stream
  std::unique_ptr<PopStream> stream;
  std::optional<PublicMistakes> public_mistakes;
  std::optional<Comparison> comparison;
  RunTally tally;
  bool seeded = false;
  nlohmann::ordered_json plan;  // what it said, for the report
  std::string schema_print;     // of the encoding's public description
};

// A saved state whose settings have been read.
struct PopSaved {
  std::string payload;
  std::size_t rest = 0;  // where what follows the settings begins
};

// Reads --load and puts its settings into `flags`. Fails with kInvalidArgument.
Result<PopSaved> ReadPopState(RunFlags& flags);

// `spec` knows its features if it needs to. Both fail with kInvalidArgument, or
// kUnavailable for the key and the learner's program.
Result<std::unique_ptr<PopRun>> StartPop(const RunFlags& flags,
                                         const LearnerSpec& spec);
Result<std::unique_ptr<PopRun>> ResumePop(const RunFlags& flags,
                                          const LearnerSpec& spec,
                                          const PopSaved& saved);

// Writes --save. Fails as the learner's program and the file system do; the
// file is then what it was.
Status SavePop(const RunFlags& flags, PopRun& run);

}  // namespace sotto::app
