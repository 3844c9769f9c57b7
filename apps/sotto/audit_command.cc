#include <cstddef>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "audit_all.h"
#include "audit_coins.h"
#include "audit_exec.h"
#include "audit_play.h"
#include "audit_program.h"
#include "command.h"
#include "commands.h"
#include "sotto/audit/audit.h"
#include "sotto/audit/shard.h"
#include "sotto/audit/targets.h"
#include "sotto/base/json.h"
#include "sotto/data/files/file_system.h"

namespace sotto::app {
namespace {

constexpr std::size_t kLargestShard = std::size_t{1} << 28;

int RunTarget(const AuditTarget& target, const Settings& settings) {
  auto options = MakeGameOptions(settings);
  if (!options) return Report(options.error());
  const AuditRequest request{.epsilon = settings.GetOptionalDouble("epsilon"),
                             .delta = settings.GetOptionalDouble("delta"),
                             .rounds = settings.GetInt("rounds"),
                             .adversary = settings.Text("adversary")};
  auto subject = target.make(request);
  if (!subject) return Report(subject.error());
  const AuditChoice choice{.adversary = settings.Text("adversary"),
                           .mechanism = settings.Text("mechanism")};
  const bool sharded = settings.Has("shard");
  if (Status s = ChooseGames(choice, sharded, *subject); !s) {
    return Report(s.error());
  }
  if (!sharded) return RunAudit(*subject, *options, settings);
  const AuditResult result = PlayWithProgress(*subject, *options, settings);
  std::printf("%s\n",
              ShardJson(result, request, choice, SOTTO_VERSION).Dump().c_str());
  return kDone;
}

Result<Json> ReadJson(const std::string& path) {
  const auto text = RealFiles().Read(path, kLargestShard);
  if (!text) return InvalidArgument(text.error().message);
  auto json = Json::Parse(*text);
  if (!json) return InvalidArgument(path + ": " + json.error().message);
  return json;
}

int RunMerge(const Settings& settings, const std::vector<std::string>& files) {
  std::vector<ShardFile> shards;
  for (const std::string& path : files) {
    auto shard = ReadJson(path);
    if (!shard) return Report(shard.error());
    shards.push_back({path, *std::move(shard)});
  }
  const auto result = MergeShards(shards, SOTTO_VERSION);
  if (!result) return Report(result.error());
  return Tell(*result, settings);
}

int RunList(const Settings& settings) {
  Print(settings.Flag("json") ? TargetsJson().Dump() + "\n" : TargetsText());
  return kDone;
}

Command TargetCommand(const AuditTarget& target) {
  return {
      .name = std::string(target.name),
      .help = std::string(target.help),
      .footer =
          "Exit code 1: the claim does not hold, or could not be "
          "put to the test; 3: too few games to know.\nExample:\n  sotto "
          "audit " +
          std::string(target.name) + " --runs 100000 --report audit.html",
      .options = ConcatOptions({GameOptions(), PlayOptions(), OutputOptions()}),
      .call = [&target](const Settings& settings) {
        return RunTarget(target, settings);
      }};
}

Command MergeCommand() {
  return {.name = "merge",
          .help = "Merge the shards of one audit into a verdict: FILE...",
          .footer =
              "Example:\n  sotto audit stopper --shard 1/2 > 1.json\n  "
              "sotto audit stopper --shard 2/2 > 2.json\n  sotto audit "
              "merge 1.json 2.json",
          .options = OutputOptions(),
          .call_with_words = RunMerge};
}

}  // namespace

Command AuditCommand() {
  Command command{
      .name = "audit",
      .help =
          "Attack a mechanism in the papers' games and bound its epsilon from "
          "below",
      .footer =
          "Examples:\n  sotto audit --list\n  sotto audit stopper --runs "
          "1000000\n  sotto audit sparse-vector --adversary "
          "threshold-parking --json\n  sotto audit exec:./mine --epsilon 1",
      .options = {{.name = "list",
                   .type = OptionType::kFlag,
                   .help = "List the targets, their games and adversaries"},
                  {.name = "json",
                   .type = OptionType::kFlag,
                   .help = "Print the list as JSON."}},
      .commands_are = "target",
      .call = RunList};
  for (const AuditTarget& target : AuditTargets()) {
    command.commands.push_back(TargetCommand(target));
  }
  command.commands.push_back(AuditCoinsCommand());
  command.commands.push_back(AuditExecCommand());
  command.commands.push_back(AuditAllCommand());
  command.commands.push_back(AuditProgramCommand());
  command.commands.push_back(MergeCommand());
  return command;
}

}  // namespace sotto::app
