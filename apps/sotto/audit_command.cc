#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "audit_all.h"
#include "audit_models.h"
#include "audit_program.h"
#include "audit_progress.h"
#include "command.h"
#include "commands.h"
#include "sotto/audit/audit.h"
#include "sotto/audit/audit_report.h"
#include "sotto/audit/shard.h"
#include "sotto/audit/targets.h"
#include "sotto/base/json.h"
#include "sotto/files/file_system.h"
#include "sotto/files/output_file.h"

namespace sotto::app {
namespace {

constexpr double kMostRuns = 1e12;
constexpr std::size_t kLargestShard = std::size_t{1} << 28;

const OptionTable& OutputOptions() {
  static const OptionTable kTable = {
      {.name = "json", .type = OptionType::kFlag, .help = "a JSON report"},
      {.name = "report", .help = "also one page with plots, FILE.html"}};
  return kTable;
}

const OptionTable& GameOptions() {
  static const OptionTable kTable = {
      {.name = "adversary",
       .help = "only this one; left out: all that there are, and the worst is "
               "reported"},
      {.name = "runs",
       .type = OptionType::kWhole,
       .fallback = "100000",
       .help = "games in each world, for each adversary",
       .low = 256,
       .high = kMostRuns},
      {.name = "epsilon",
       .type = OptionType::kReal,
       .help = "of the claim; left out: the target's choice",
       .above = true},
      {.name = "delta",
       .type = OptionType::kReal,
       .help = "of the claim, as above",
       .high = 1},
      {.name = "rounds",
       .type = OptionType::kWhole,
       .help = "of a game; left out: the target's choice",
       .low = 1,
       .high = 1e6},
      {.name = "confidence",
       .type = OptionType::kReal,
       .fallback = "0.999",
       .help = "of the lower bound; a violation is always called at 1e-6",
       .low = 0.5,
       .high = 0.999999999},
      {.name = "looks",
       .type = OptionType::kWhole,
       .fallback = "4",
       .help = "how often, at most, it looks whether a violation is certain "
               "already; paid for in confidence",
       .low = 1,
       .high = 20},
      {.name = "seed",
       .type = OptionType::kWhole,
       .fallback = "1",
       .help = "which games; the same give the same report"},
      {.name = "threads",
       .type = OptionType::kWhole,
       .help = "left out: one for each core; the report does not depend on it",
       .low = 1,
       .high = 1024},
      {.name = "shard",
       .help = "I/N: only the I-th part of N, from 1; prints counts for `sotto "
               "audit merge`, looks once"},
      {.name = "progress",
       .type = OptionType::kFlag,
       .help = "a bar although standard error is no terminal"}};
  return kTable;
}

Result<AuditOptions> OptionsOf(const Settings& settings) {
  AuditOptions options{
      .runs = settings.Whole("runs"),
      .confidence = settings.Real("confidence"),
      .seed = settings.Whole("seed"),
      .looks = settings.Whole("looks"),
      .threads = static_cast<unsigned>(settings.MaybeWhole("threads").value_or(
          std::max(1u, std::thread::hardware_concurrency())))};
  if (settings.Has("shard")) {
    const auto shard = ReadShard(settings.Text("shard"));
    if (!shard) return shard.error();
    options.shard = shard->index;
    options.shards = shard->count;
    options.looks = 1;
  }
  return options;
}

// A violation, and whatever could not be played, is a failure.
int Tell(const AuditResult& result, const Settings& settings) {
  if (settings.Has("report")) {
    const Status written =
        WriteOutput(settings.Text("report"), AuditPage(result));
    if (!written) return Report(written.error());
  }
  const std::string text = settings.Flag("json")
                               ? AuditJson(result).Dump() + "\n"
                               : AuditText(result);
  std::fputs(text.c_str(), stdout);
  return result.violation() || result.broken() ? kFailed : kDone;
}

int RunTarget(const AuditTarget& target, const Settings& settings) {
  auto options = OptionsOf(settings);
  if (!options) return Report(options.error());
  const AuditRequest request{.epsilon = settings.MaybeReal("epsilon"),
                             .delta = settings.MaybeReal("delta"),
                             .rounds = settings.Whole("rounds")};
  auto subject = target.make(request);
  if (!subject) return Report(subject.error());
  const std::string& adversary = settings.Text("adversary");
  if (!adversary.empty()) {
    if (Status s = KeepAdversary(*subject, adversary); !s) {
      return Report(s.error());
    }
  }
  AuditProgress progress(settings.Flag("progress") ||
                         ::isatty(STDERR_FILENO) != 0);
  options->progress = [&progress](std::uint64_t games, std::uint64_t of) {
    progress.Show(games, of);
  };
  const AuditResult result = Audit(*subject, *options);
  if (!settings.Has("shard")) return Tell(result, settings);
  std::printf("%s\n", ShardJson(result, request, adversary).Dump().c_str());
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
  std::vector<Json> shards;
  for (const std::string& path : files) {
    auto shard = ReadJson(path);
    if (!shard) return Report(shard.error());
    shards.push_back(*std::move(shard));
  }
  const auto result = MergeShards(shards);
  if (!result) return Report(result.error());
  return Tell(*result, settings);
}

int RunList(const Settings& settings) {
  if (settings.Flag("json")) {
    Json::Array targets;
    for (const AuditTarget& target : AuditTargets()) {
      Json::Array adversaries;
      for (const auto name : target.adversaries) adversaries.emplace_back(name);
      targets.push_back(Json::Object{{"target", target.name},
                                     {"help", target.help},
                                     {"game", target.game},
                                     {"adversaries", std::move(adversaries)}});
    }
    std::printf("%s\n", Json(std::move(targets)).Dump().c_str());
    return kDone;
  }
  for (const AuditTarget& target : AuditTargets()) {
    std::string adversaries;
    for (const auto name : target.adversaries) {
      adversaries += (adversaries.empty() ? "" : ", ") + std::string(name);
    }
    std::printf("%-26s%s\n%-26s%s: %s\n", std::string(target.name).c_str(),
                std::string(target.help).c_str(), "",
                std::string(target.game).c_str(), adversaries.c_str());
  }
  return kDone;
}

Command TargetCommand(const AuditTarget& target) {
  return {.name = std::string(target.name),
          .help = std::string(target.help),
          .footer =
              "Exit code 1: the claim does not hold, or could not be "
              "put to the test.\nExample:\n  sotto audit " +
              std::string(target.name) + " --runs 100000 --report audit.html",
          .options = Together({GameOptions(), OutputOptions()}),
          .call = [&target](const Settings& settings) {
            return RunTarget(target, settings);
          }};
}

Command MergeCommand() {
  return {.name = "merge",
          .help = "the verdict on the shards of one audit: FILE...",
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
          "Plays the papers' games against a mechanism and says what an "
          "adversary learned, beside the claim",
      .footer =
          "Examples:\n  sotto audit --list\n  sotto audit stopper --runs "
          "1000000\n  sotto audit sparse-vector --adversary "
          "threshold-parking --json",
      .options = {{.name = "list",
                   .type = OptionType::kFlag,
                   .help = "the targets, their games and adversaries"},
                  {.name = "json",
                   .type = OptionType::kFlag,
                   .help = "the list as JSON"}},
      .commands_are = "target",
      .call = RunList};
  for (const AuditTarget& target : AuditTargets()) {
    command.commands.push_back(TargetCommand(target));
  }
  command.commands.push_back(AuditAllCommand());
  command.commands.push_back(AuditProgramCommand());
  command.commands.push_back(AuditModelsCommand());
  command.commands.push_back(MergeCommand());
  return command;
}

}  // namespace sotto::app
