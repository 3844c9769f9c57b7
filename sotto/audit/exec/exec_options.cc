#include "sotto/audit/exec/exec_options.h"

#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <memory>

#include "sotto/audit/exec/exec_target.h"
#include "sotto/audit/exec/program_peers.h"

namespace sotto {
namespace {

constexpr std::string_view kProgramPrefix = "exec:";
constexpr double kFar = 1e15;

OptionTable ClaimOptions() {
  return {{.name = "game",
           .fallback = "adaptive-query",
           .help = "which of the papers' it plays: see docs/audit.md",
           .words = {kExecGames.begin(), kExecGames.end()}},
          {.name = "epsilon",
           .type = OptionType::kReal,
           .help = "of the claim",
           .above = true,
           .required = true},
          {.name = "delta",
           .type = OptionType::kReal,
           .fallback = "0",
           .help = "of the claim",
           .high = 1},
          {.name = "rounds",
           .type = OptionType::kWhole,
           .fallback = "20",
           .help = "of a game, at most",
           .low = 1,
           .high = 1e6},
          {.name = "sensitivity",
           .type = OptionType::kWhole,
           .fallback = "1",
           .help = "how far queries, or a user's two inputs, may be apart",
           .low = 1,
           .high = kFar},
          {.name = "challenges",
           .type = OptionType::kWhole,
           .fallback = "1",
           .help = "rounds that the protected user has",
           .low = 1,
           .high = 1e6}};
}

OptionTable LookOptions() {
  return {
      {.name = "centre",
       .type = OptionType::kReal,
       .fallback = "0",
       .help = "the adversaries look around this input: a threshold, a limit",
       .low = -kFar,
       .high = kFar},
      {.name = "scale",
       .type = OptionType::kReal,
       .help = "about so far around it; left out: 1 / epsilon",
       .high = kFar,
       .above = true},
      {.name = "answers",
       .help =
           "LOW..HIGH: an answer out of it is broken; left out: any number"},
      {.name = "unit",
       .type = OptionType::kReal,
       .fallback = "1",
       .help = "answers are rounded to multiples of it",
       .above = true},
      {.name = "adversary",
       .help = "only this one, or exec:COMMAND, a program of your own; left "
               "out: all that play this game"},
      {.name = "timeout",
       .type = OptionType::kReal,
       .fallback = "10",
       .help = "seconds without an answer after which a program hangs",
       .high = 1e6,
       .above = true},
      {.name = "fresh",
       .type = OptionType::kFlag,
       .help = "a new process for every game: slow, but it cannot remember"}};
}

// Not a number, if it is none.
double NumberOr(const std::string& text) {
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  const bool whole = !text.empty() && end == text.c_str() + text.size();
  return whole ? number : std::nan("");
}

// "0..1".
Status ReadRange(const Settings& settings, ProgramMechanism& mechanism) {
  mechanism.unit = settings.GetDouble("unit");
  if (!settings.Has("answers")) return Ok();
  const std::string& text = settings.Text("answers");
  const std::size_t dots = text.find("..");
  double low = NumberOr(text.substr(0, dots));
  double high =
      NumberOr(dots == std::string::npos ? "" : text.substr(dots + 2));
  low /= mechanism.unit;
  high /= mechanism.unit;
  constexpr auto kMost = static_cast<double>(ProgramMechanism::kMost);
  if (!(low <= high) || !(low >= -kMost) || !(high <= kMost)) {
    return InvalidArgument("--answers is LOW..HIGH, as 0..1 or -2.5..2.5");
  }
  mechanism.low = static_cast<std::int64_t>(std::ceil(low - 0.5));
  mechanism.high = static_cast<std::int64_t>(std::floor(high + 0.5));
  return Ok();
}

}  // namespace

const OptionTable& ExecOptions() {
  static const OptionTable kTable =
      ConcatOptions({ClaimOptions(), LookOptions()});
  return kTable;
}

Result<AuditSubject> MakeExecSubject(const Settings& settings,
                                     const std::string& command) {
  const std::chrono::milliseconds timeout(static_cast<std::int64_t>(
      std::ceil(1000 * settings.GetDouble("timeout"))));
  ExecRequest request{
      .mechanism = {.peers = std::make_shared<ProgramPeers>(
                        ProgramPeers::Params{.command = command,
                                             .timeout = timeout,
                                             .fresh = settings.Flag("fresh")}),
                    .rounds = settings.GetInt("rounds")},
      .name = std::string(kProgramPrefix) + command,
      .game = settings.Text("game"),
      .claim = {settings.GetDouble("epsilon"), settings.GetDouble("delta")},
      .sensitivity = static_cast<std::int64_t>(settings.GetInt("sensitivity")),
      .challenges = settings.GetInt("challenges"),
      .centre = std::llround(settings.GetDouble("centre")),
      .scale = settings.GetOptionalDouble("scale"),
      .adversary = settings.Text("adversary")};
  SOTTO_TRY(ReadRange(settings, request.mechanism));
  if (!request.adversary.starts_with(kProgramPrefix)) {
    return ExecSubject(request);
  }
  return ExecSubject(
      request, std::make_shared<ProgramPeers>(ProgramPeers::Params{
                   .command = request.adversary.substr(kProgramPrefix.size()),
                   .timeout = timeout,
                   .fresh = settings.Flag("fresh")}));
}

}  // namespace sotto
