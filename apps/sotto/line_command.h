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
  std::optional<std::int64_t> seed;
  std::string save;
  std::string load;
  bool json = false;
  bool quiet = false;
  bool progress = false;
};

void AddLineFlags(CLI::App& command, LineFlags& flags);

// Adds to an error of Create what --rounds-per-user made of epsilon.
Error Explain(const LineFlags& flags, const ApproximateDp& each, Error error);

// The (epsilon, delta) one round may cost so that a user of rounds_per_user
// rounds gets what was asked for. Fails with kInvalidArgument on bad flags.
Result<ApproximateDp> PerRound(const LineFlags& flags);

// Where a run starts: a fresh key, or the key and bytes of a saved state.
struct LineStart {
  Key key;
  bool seeded = false;                   // by --seed, now or when it started
  std::optional<std::string> mechanism;  // what its Save wrote, if resumed
  std::uint64_t lines = 0;               // answered before
};

// `settings` are the parameters in words, e.g. "epsilon 1, horizon 100": a
// state made with others is refused, and the words say why.
Result<LineStart> StartLines(const LineFlags& flags, std::string_view kind,
                             const std::string& settings);

// Fails with kInvalidArgument if the mechanism cannot keep what was asked for:
// its delta, samplers included, against --delta, if that is not 0.
Status CheckPromise(const LineFlags& flags, const Guarantee& guarantee);

// A run over standard input: what it answers, and what is told and saved at its
// end, also when it ends by an interrupt. A line that cannot be answered ends
// it with an error: the state on disk stays what it was, but the privacy
// statement is made, for the answers that were given.
struct LineRun {
  std::string_view kind;
  std::string settings;
  HistoryRng* rng = nullptr;
  std::function<Status(std::string_view line, LineWriter& out)> answer;
  std::function<bool()> ended = [] { return false; };
  std::function<void(ByteWriter&)> save;
  std::function<std::string()> expectation;
  Guarantee guarantee;
};

// Returns the exit code.
int RunLines(const LineFlags& flags, const LineStart& start,
             const LineRun& run);

// The end of a JSON line: says so if the noise is not secret.
std::string_view JsonEnd(const LineStart& start);

}  // namespace sotto::app
