#pragma once

#include <memory>
#include <optional>
#include <string>

#include "run_flags.h"
#include "run_tally.h"
#include "sotto/session/comparison.h"
#include "sotto/session/public_mistakes.h"
#include "winnow_flags.h"
#include "winnow_report.h"
#include "winnow_stream.h"

namespace sotto::app {

// A run of winnow, fresh or from a saved state: the model and all that is
// counted beside it.
//
// The layout of a saved state is in docs/formats/state.md.
// Threads: not thread-safe.
struct WinnowRun {
  std::unique_ptr<WinnowStream> stream;
  std::optional<PublicMistakes> public_mistakes;
  std::optional<Comparison> comparison;
  RunTally tally;
  bool seeded = false;
  nlohmann::ordered_json settings;  // as they were asked for
  nlohmann::ordered_json plan;      // what it said, for the report
  std::string schema_print;         // of the encoding's public description
};

// A saved state whose settings have been read.
struct WinnowSaved {
  std::string payload;
  std::size_t rest = 0;  // where what follows the settings begins
};

// Reads --load and puts its settings into the flags. Fails with
// kInvalidArgument.
Result<WinnowSaved> ReadWinnowState(RunFlags& run, WinnowFlags& flags);

// flags.features is known. Both fail with kInvalidArgument, or kUnavailable for
// the key.
Result<std::unique_ptr<WinnowRun>> StartWinnow(const RunFlags& run,
                                               const WinnowFlags& flags);
Result<std::unique_ptr<WinnowRun>> ResumeWinnow(const RunFlags& run,
                                                const WinnowFlags& flags,
                                                const WinnowSaved& saved);

// Writes --save. Fails as the file system does; the file is then what it was.
Status SaveWinnow(const RunFlags& run, WinnowRun& winnow);

}  // namespace sotto::app
