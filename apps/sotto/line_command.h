#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "sotto/accounting/guarantee.h"
#include "sotto/base/bytes.h"
#include "sotto/base/result.h"
#include "sotto/random/history_rng.h"
#include "sotto/streams/line_io.h"

namespace sotto::app {

// What the commands that answer a line with a line have in common: flags, the
// loop over standard input, saved states, the privacy statement.
struct LineFlags {
  double epsilon = 0;
  double delta = 0;
  std::uint64_t horizon = 0;
  std::uint64_t rounds_per_user = 1;
  std::optional<std::uint64_t> seed;
  std::string save;
  std::string load;
  bool json = false;
  bool quiet = false;
  bool progress = false;
};

void AddLineFlags(CLI::App& command, LineFlags& flags);

// The (epsilon, delta) one round may cost so that a user of rounds_per_user
// rounds gets what was asked for. Fails with kInvalidArgument on bad flags.
Result<ApproximateDp> PerRound(const LineFlags& flags);

// Where a run starts: a fresh key, or the key and bytes of a saved state.
struct LineStart {
  Key key;
  std::optional<std::string> mechanism;  // what its Save wrote, if resumed
  std::uint64_t lines = 0;               // answered before
};

// `settings` are the parameters in words, e.g. "epsilon 1, horizon 100": a
// state made with others is refused, and the words say why.
Result<LineStart> StartLines(const LineFlags& flags, std::string_view kind,
                             const std::string& settings);

// Answers every line of standard input. `answer` writes one line, without its
// end, or fails; its failure is reported with the line's number and nothing is
// saved. Returns early, with success, once `ended` says so.
struct LineLoop {
  std::function<Status(std::string_view line, LineWriter& out)> answer;
  std::function<bool()> ended = [] { return false; };
};
Result<std::uint64_t> AnswerLines(const LineFlags& flags, const LineLoop& loop,
                                  std::uint64_t lines_before);

// Writes the state if --save was given, then prints the privacy statement.
// Returns the exit code.
int FinishLines(const LineFlags& flags, std::string_view kind,
                const std::string& settings, const HistoryRng& rng,
                std::uint64_t lines, const ByteWriter& mechanism,
                const Guarantee& guarantee, const std::string& expectation);

}  // namespace sotto::app
