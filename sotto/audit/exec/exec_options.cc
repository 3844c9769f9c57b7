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
  return {
      {.name = "game",
       .fallback = "adaptive-query",
       .help = "Game that the program plays; docs/audit.md describes them.",
       .words = {kExecGames.begin(), kExecGames.end()}},
      {.name = "epsilon",
       .type = OptionType::kReal,
       .help = "Claimed epsilon.",
       .above = true,
       .required = true},
      {.name = "delta",
       .type = OptionType::kReal,
       .fallback = "0",
       .help = "Claimed delta.",
       .high = 1},
      {.name = "rounds",
       .type = OptionType::kWhole,
       .fallback = "20",
       .help = "Maximum number of rounds per game.",
       .low = 1,
       .high = 1e6},
      {.name = "sensitivity",
       .type = OptionType::kWhole,
       .fallback = "1",
       .help =
           "Maximum distance between a user's two inputs, or between queries.",
       .low = 1,
       .high = kFar},
      {.name = "challenges",
       .type = OptionType::kWhole,
       .fallback = "1",
       .help = "Number of rounds of the protected user.",
       .low = 1,
       .high = 1e6}};
}

OptionTable LookOptions() {
  return {
      {.name = "centre",
       .type = OptionType::kReal,
       .fallback = "0",
       .help =
           "Input around which the adversaries search, such as a threshold.",
       .low = -kFar,
       .high = kFar},
      {.name = "scale",
       .type = OptionType::kReal,
       .help = "Distance around --centre that the adversaries search. Default: "
               "1 / epsilon.",
       .high = kFar,
       .above = true},
      {.name = "answers",
       .help = "LOW..HIGH: an answer outside this range is an error. Default: "
               "any number."},
      {.name = "unit",
       .type = OptionType::kReal,
       .fallback = "1",
       .help = "Round answers to multiples of this number.",
       .above = true},
      {.name = "adversary",
       .help = "Only this adversary, or exec:COMMAND for your own program. "
               "Default: all that play this game."},
      {.name = "timeout",
       .type = OptionType::kReal,
       .fallback = "10",
       .help = "Seconds without an answer until a program counts as hanging.",
       .high = 1e6,
       .above = true},
      {.name = "fresh",
       .type = OptionType::kFlag,
       .help = "Start a new process for every game. Slow, but the program "
               "cannot remember."}};
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
