#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "command.h"
#include "commands.h"
#include "interrupt.h"
#include "sotto/accounting/guarantee_json.h"
#include "sotto/data/files/state_file.h"
#include "sotto/frontend/budget_options.h"
#include "sotto/frontend/line_mechanisms.h"
#include "sotto/frontend/line_run.h"
#include "sotto/frontend/range_lines.h"
#include "sotto/frontend/range_once.h"
#include "sotto/frontend/range_options.h"
#include "sotto/report/progress_line.h"

namespace sotto::app {
namespace {

void PrivacyStatement(const LineStart& start, const LineMechanism& mechanism) {
  if (start.seeded) {
    std::fprintf(stderr,
                 "NOT PRIVATE: a seed makes the noise known to anyone; it is "
                 "for experiments only.\n");
  }
  if (start.settings.Flag("quiet")) return;
  const auto user = UserPromise(start.settings, mechanism.guarantee());
  const std::string promise = user ? user->Describe() : user.error().message;
  std::fprintf(
      stderr, "%s\n%s%s\n", mechanism.Describe().c_str(),
      start.seeded ? "Without the seed: " : "Privacy: ", promise.c_str());
}

// Reports whatever went wrong. Returns the exit code.
int Finish(const LineStart& start, const LineOutcome& outcome) {
  int exit_code = kDone;
  const auto note = [&exit_code](const Status& status) {
    if (status) return;
    const int failed = Report(status.error());
    if (exit_code == kDone) exit_code = failed;
  };
  if (*StopFlag() != 0) {
    note(Unavailable(kInterrupted));
  } else if (!outcome.reader_left) {  // A reader that leaves has seen enough.
    note(outcome.answered);
    note(outcome.kept);
  }
  note(outcome.saved);
  const std::string& path = start.settings.Text("save");
  if (exit_code != kDone && !path.empty()) {
    Report(Unavailable(path + " covers the first " +
                       std::to_string(outcome.covered) +
                       " lines: go on with the next"));
  }
  return exit_code;
}

Result<LineOutcome> RunWithProgress(const LineStart& start,
                                    LineMechanism& mechanism,
                                    std::string_view kind, HistoryRng& rng) {
  const Settings& settings = start.settings;
  const bool shown = settings.Flag("progress") ||
                     (!settings.Flag("quiet") && ::isatty(STDERR_FILENO) != 0);
  ProgressLine progress(shown ? stderr : nullptr,
                        settings.GetOptionalInt("horizon"),
                        {"lines", "at most"});
  return RunLines(start, {.kind = kind,
                          .mechanism = mechanism,
                          .rng = rng,
                          .stop = CatchInterrupts(),
                          .progress = [&progress](std::uint64_t lines) {
                            progress.Update(lines);
                          }});
}

int Run(const LineTool& tool, const Settings& said) {
  const bool data = FindOption(said.table(), "data") != nullptr;
  if (Status good = CheckBudget(said); !good) return Report(good.error());
  const auto start = StartLines(said, tool.name, data ? said.Text("data") : "");
  if (!start) return Report(start.error());
  HistoryRng rng(start->key);
  const auto mechanism = tool.make(*start, rng);
  if (!mechanism) return Report(mechanism.error());
  if (start->mark) {
    Warn(UncleanEndWarning(start->states.loaded->path(), *start->mark));
  }
  const auto outcome = RunWithProgress(*start, **mechanism, tool.name, rng);
  if (!outcome) return Report(outcome.error());
  const int exit_code = Finish(*start, *outcome);
  if (exit_code == kDone || outcome->lines > 0) {
    PrivacyStatement(*start, **mechanism);
  }
  return exit_code;
}

// A statistic over a public range: once, or after each line.
int RunRange(const LineTool& tool, const Settings& said) {
  if (!said.Has("data")) return Run(tool, said);
  if (Status good = CheckBudget(said); !good) return Report(good.error());
  const auto answer = AnswerOnce(said, tool.name);
  if (!answer) return Report(answer.error());
  Json json = answer->json;
  json["guarantee"] = ToJson(answer->guarantee);
  json["private"] = !said.Has("seed");
  said.Flag("json") ? Print(json) : Print(answer->text);
  if (said.Has("seed")) {
    std::fprintf(stderr,
                 "NOT PRIVATE: a seed makes the noise known to anyone; it is "
                 "for experiments only.\n");
  }
  if (said.Flag("quiet")) return kDone;
  std::fprintf(stderr, "%s\n%s%s\n", answer->error.c_str(),
               said.Has("seed") ? "Without the seed: " : "Privacy: ",
               answer->guarantee.Describe().c_str());
  return kDone;
}

const LineTool& FindTool(const std::vector<LineTool>& tools,
                         std::string_view name) {
  return *std::ranges::find(tools, name, &LineTool::name);
}

// Options of the first table, then those of the second that are new. None is
// required: each way checks its own.
OptionTable MergeOptions(const OptionTable& first, const OptionTable& second) {
  OptionTable merged = first;
  for (const Option& option : second) {
    if (FindOption(merged, option.name) == nullptr) merged.push_back(option);
  }
  for (Option& option : merged) option.required = false;
  return merged;
}

bool IsRangeState(const Settings& said) {
  return said.Has("load") &&
         ReadStateFile(said.Text("load"), kRangeQuantileKind, kLineStateVersion)
             .has_value();
}

// Quantiles over a range with --at, ranks of queries without.
int RunQuantile(const Settings& said) {
  const bool range = said.Has("at") || IsRangeState(said);
  const LineTool& tool = range ? FindTool(RangeTools(), kRangeQuantileKind)
                               : FindTool(LineTools(), kQuantileKind);
  Settings settings(ConcatOptions({tool.options, BudgetOptions()}));
  for (const Option& option : said.table()) {
    if (!said.SetByUser(option.name) ||
        FindOption(settings.table(), option.name) != nullptr) {
      continue;
    }
    return Report(InvalidArgument(
        "--" + std::string(option.name) +
        (range ? " does not go with --at" : " goes with --at")));
  }
  if (Status taken = settings.Take(said); !taken) return Report(taken.error());
  if (!said.Has("load")) {
    if (Status good = settings.CheckRequired(); !good) {
      return Report(good.error());
    }
  }
  return range ? RunRange(tool, settings) : Run(tool, settings);
}

}  // namespace

Command RangeCommand(std::string_view name) {
  const LineTool& tool = FindTool(RangeTools(), name);
  return {.name = std::string(name),
          .help = std::string(tool.help),
          .footer = std::string(tool.footer),
          .options = ConcatOptions({tool.options, BudgetOptions()}),
          .call = [&tool](const Settings& settings) {
            return RunRange(tool, settings);
          }};
}

Command QuantileCommand() {
  const LineTool& ranks = FindTool(LineTools(), kQuantileKind);
  const LineTool& range = FindTool(RangeTools(), kRangeQuantileKind);
  return {.name = std::string(ranks.name),
          .help = "Estimate quantiles over a public range, or ranks of queries",
          .footer = std::string(ranks.footer),
          .options = ConcatOptions(
              {MergeOptions(ranks.options, range.options), BudgetOptions()}),
          .call = RunQuantile};
}

Command LineCommand(std::string_view name) {
  const LineTool& tool = FindTool(LineTools(), name);
  return {.name = std::string(name),
          .help = std::string(tool.help),
          .footer = std::string(tool.footer),
          .options = ConcatOptions({tool.options, BudgetOptions()}),
          .call = [&tool](const Settings& settings) {
            return Run(tool, settings);
          }};
}

}  // namespace sotto::app
