#include "sotto/audit/play_options.h"

#include <algorithm>
#include <memory>
#include <thread>
#include <utility>

#include "sotto/audit/coin_audit.h"
#include "sotto/audit/exec/exec_target.h"
#include "sotto/audit/shard.h"

namespace sotto {
namespace {

constexpr double kMostRuns = 1e12;
constexpr std::string_view kProgram = "exec:";
// The game without privacy, which is not an AuditTarget.
constexpr std::string_view kCoins = "coins";
constexpr std::string_view kCoinsHelp =
    "rewards before a budget of losses is gone, without privacy, beside "
    "Theorem E.1";
constexpr std::string_view kCoinsGame = "CoinGame";

}  // namespace

OptionTable PlayOptions(std::string_view runs) {
  return {
      {.name = "runs",
       .type = OptionType::kWhole,
       .fallback = runs,
       .help = "Games per world and adversary; whole sessions play a fiftieth "
               "of them.",
       .low = double{kLeastRuns},
       .high = kMostRuns},
      {.name = "confidence",
       .type = OptionType::kReal,
       .fallback = "0.999",
       .help = "Confidence of the lower bound. A violation is always called at "
               "1e-6.",
       .low = 0.5,
       .high = 0.999999999},
      {.name = "looks",
       .type = OptionType::kWhole,
       .fallback = "4",
       .help = "Maximum number of early looks for a certain violation; each "
               "costs confidence.",
       .low = 1,
       .high = 20},
      {.name = "seed",
       .type = OptionType::kWhole,
       .fallback = "1",
       .help = "Choose the games. The same seed gives the same report."},
      {.name = "threads",
       .type = OptionType::kWhole,
       .help = "Number of threads; does not change the report. Default: one "
               "per core.",
       .low = 1,
       .high = 1024},
      {.name = "progress",
       .type = OptionType::kFlag,
       .help =
           "Show a progress bar even if standard error is not a terminal."}};
}

AuditOptions MakePlayOptions(const Settings& settings) {
  const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
  return {.runs = settings.GetInt("runs"),
          .confidence = settings.GetDouble("confidence"),
          .seed = settings.GetInt("seed"),
          .looks = settings.GetInt("looks"),
          .threads = static_cast<unsigned>(
              settings.GetOptionalInt("threads").value_or(cores))};
}

const OptionTable& GameOptions() {
  static const OptionTable kTable = {
      {.name = "adversary",
       .help = "Only this adversary, or exec:COMMAND for your own program. "
               "Default: all; the worst is reported."},
      {.name = "mechanism",
       .help = "Only this mechanism of the target, as the report names it."},
      {.name = "epsilon",
       .type = OptionType::kReal,
       .help = "Claimed epsilon. Default: chosen by the target.",
       .above = true},
      {.name = "delta",
       .type = OptionType::kReal,
       .help = "Claimed delta, if the mechanism takes one.",
       .high = 1},
      {.name = "rounds",
       .type = OptionType::kWhole,
       .help = "Rounds per game. Default: chosen by the target, also if this "
               "is too small.",
       .low = 1,
       .high = 1e6},
      {.name = "shard",
       .help = "I/N: play only part I of N and print counts for `sotto audit "
               "merge`."}};
  return kTable;
}

Result<AuditOptions> MakeGameOptions(const Settings& settings) {
  AuditOptions options = MakePlayOptions(settings);
  if (!settings.Has("shard")) return options;
  SOTTO_TRY_ASSIGN(const auto shard, ReadShard(settings.Text("shard")));
  options.shard = shard.index;
  options.shards = shard.count;
  options.looks = 1;
  return options;
}

Status ChooseGames(const AuditChoice& choice, bool sharded,
                   AuditSubject& subject) {
  if (!IsProgram(choice.adversary)) return KeepOnly(subject, choice);
  if (sharded) {
    return InvalidArgument(
        "--shard: a program of your own may play differently on every machine");
  }
  Status kept = KeepOnly(subject, {.mechanism = choice.mechanism});
  if (!kept) return kept;
  return UseProgramAdversary(
      subject, choice.adversary,
      std::make_shared<ProgramPeers>(
          ProgramPeers::Params{.command = MakeCommand(choice.adversary)}));
}

bool IsProgram(std::string_view name) { return name.starts_with(kProgram); }

std::string MakeCommand(std::string_view name) {
  return std::string(name.substr(kProgram.size()));
}

Result<std::vector<const AuditTarget*>> ChooseTargets(std::string_view list) {
  std::vector<const AuditTarget*> chosen;
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(','), list.size());
    const std::string name(list.substr(0, end));
    list.remove_prefix(std::min(end + 1, list.size()));
    chosen.push_back(FindAuditTarget(name));
    if (chosen.back() == nullptr) {
      if (name == kCoins) {
        return InvalidArgument(
            "--only: coins has no epsilon to compare; run `sotto audit coins`");
      }
      return InvalidArgument("--only: no target '" + name +
                             "'; `sotto audit --list` names them");
    }
  }
  if (!chosen.empty()) return chosen;
  for (const AuditTarget& target : AuditTargets()) chosen.push_back(&target);
  return chosen;
}

std::string TargetsText() {
  std::string text;
  const auto add = [&](std::string_view left, std::string_view right) {
    std::string line(left);
    line.resize(std::max<std::size_t>(line.size(), 26), ' ');
    text += line + std::string(right) + "\n";
  };
  for (const AuditTarget& target : AuditTargets()) {
    std::string adversaries;
    for (const auto name : target.adversaries) {
      adversaries += (adversaries.empty() ? "" : ", ") + std::string(name);
    }
    add(target.name, target.help);
    add("", std::string(target.game) + ": " + adversaries);
  }
  std::string strategies;
  for (const std::string& name : CoinAdversaries()) {
    strategies += (strategies.empty() ? "" : ", ") + name;
  }
  add(kCoins, kCoinsHelp);
  add("", std::string(kCoinsGame) + ": " + strategies);
  return text;
}

Json TargetsJson() {
  Json::Array targets;
  for (const AuditTarget& target : AuditTargets()) {
    Json::Array adversaries;
    for (const auto name : target.adversaries) adversaries.emplace_back(name);
    targets.push_back(Json::Object{{"target", target.name},
                                   {"help", target.help},
                                   {"game", target.game},
                                   {"adversaries", std::move(adversaries)}});
  }
  Json::Array strategies;
  for (const std::string& name : CoinAdversaries()) {
    strategies.emplace_back(name);
  }
  targets.push_back(Json::Object{{"target", kCoins},
                                 {"help", kCoinsHelp},
                                 {"game", kCoinsGame},
                                 {"adversaries", std::move(strategies)}});
  return targets;
}

}  // namespace sotto
