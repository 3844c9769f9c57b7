#include "audit_exec.h"

#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "audit_play.h"
#include "command.h"
#include "sotto/audit/exec/exec_target.h"
#include "sotto/audit/exec/program_peers.h"

namespace sotto::app {
namespace {

constexpr double kFar = 1e15;

const OptionTable& ExecOptions() {
  static const OptionTable kTable = {
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
       .high = 1e6},
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
  return kTable;
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

Result<AuditSubject> MakeSubject(const Settings& settings,
                                 const std::string& command) {
  const std::chrono::milliseconds timeout(static_cast<std::int64_t>(
      std::ceil(1000 * settings.GetDouble("timeout"))));
  ExecRequest request{
      .mechanism = {.peers = std::make_shared<ProgramPeers>(
                        ProgramPeers::Params{.command = command,
                                             .timeout = timeout,
                                             .fresh = settings.Flag("fresh")}),
                    .rounds = settings.GetInt("rounds")},
      .name = "exec:" + command,
      .game = settings.Text("game"),
      .claim = {settings.GetDouble("epsilon"), settings.GetDouble("delta")},
      .sensitivity = static_cast<std::int64_t>(settings.GetInt("sensitivity")),
      .challenges = settings.GetInt("challenges"),
      .centre = std::llround(settings.GetDouble("centre")),
      .scale = settings.GetOptionalDouble("scale"),
      .adversary = settings.Text("adversary")};
  SOTTO_TRY(ReadRange(settings, request.mechanism));
  if (!IsProgram(request.adversary)) return ExecSubject(request);
  return ExecSubject(request,
                     std::make_shared<ProgramPeers>(ProgramPeers::Params{
                         .command = MakeCommand(request.adversary),
                         .timeout = timeout,
                         .fresh = settings.Flag("fresh")}));
}

int RunExec(const Settings& settings, const std::vector<std::string>& words) {
  if (words.size() != 1 || words.front().empty()) {
    return Report(InvalidArgument("name one program, as exec:./mine"));
  }
  auto subject = MakeSubject(settings, words.front());
  if (!subject) return Report(subject.error());
  return RunAudit(*subject, MakePlayOptions(settings), settings);
}

}  // namespace

Command AuditExecCommand() {
  return {
      .name = "exec:",
      .help = "Audit your own program over JSON lines: exec:./mine",
      .footer =
          "It is told {\"op\":\"begin\",\"rounds\":20,\"seed\":7} and says "
          "{\"ok\":true}; it is told {\"op\":\"step\",\"round\":1,\"x\":3} and "
          "says {\"answer\":1}, with \"halted\":true in its last round.\nExit "
          "code 1: the claim does not hold, or could not be put to the "
          "test; 3: too few games to know.\nExample:\n  sotto audit "
          "exec:./mine --epsilon 1 --runs 4000 "
          "--answers 0..1",
      .options =
          ConcatOptions({ExecOptions(), PlayOptions("4000"), OutputOptions()}),
      .call_with_words = RunExec};
}

}  // namespace sotto::app
