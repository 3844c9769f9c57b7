#include "audit_models.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "audit_progress.h"
#include "command.h"
#include "run_options.h"
#include "sotto/audit/program/model_audit.h"
#include "sotto/frontend/reader_options.h"
#include "sotto/models/registry/registry.h"
#include "sotto/online/shared_options.h"

namespace sotto::app {
namespace {

const OptionTable& ModelsOptions() {
  static const OptionTable kTable = {
      {.name = "options",
       .type = OptionType::kWhole,
       .help = "how many values of options to try of each model, drawn by the "
               "seed; left out: all"},
      {.name = "pairs",
       .type = OptionType::kWhole,
       .fallback = "20",
       .help = "of options, of each model"},
      {.name = "runs",
       .type = OptionType::kWhole,
       .fallback = "24",
       .help = "of the plainest case of each model in each world, to find "
               "numbers that should have noise; 0: none",
       .high = 1e6},
      {.name = "seed",
       .type = OptionType::kWhole,
       .fallback = "1",
       .help = "which options meet which formats and each other"},
      {.name = "quick",
       .type = OptionType::kFlag,
       .help = "few formats and changes"},
      {.name = "plain",
       .type = OptionType::kFlag,
       .help = "plan anew in every run, instead of going on from states that "
               "are saved before the first row"},
      {.name = "seconds",
       .type = OptionType::kWhole,
       .help = "no case begins later; the most important ones come first",
       .high = 1e6},
      {.name = "shard",
       .help = "I/N: only every N-th case, from the I-th on; all N must pass"},
      {.name = "program",
       .help = "words that start another program than this one"},
      {.name = "timeout",
       .type = OptionType::kReal,
       .fallback = "60",
       .help = "Seconds until a run counts as hanging.",
       .above = true},
      {.name = "threads",
       .type = OptionType::kWhole,
       .help = "cases at a time; left out: one for each core",
       .low = 1,
       .high = 1024},
      {.name = "json",
       .type = OptionType::kFlag,
       .help = "Print a JSON report."},
      {.name = "progress",
       .type = OptionType::kFlag,
       .help =
           "Show a progress bar even if standard error is not a terminal."}};
  return kTable;
}

std::vector<ModelSubject> AllSubjects() {
  std::vector<ModelSubject> subjects;
  for (const OnlineModelEntry* entry : OnlineModels()) {
    subjects.push_back({.command = "run",
                        .name = std::string(entry->name),
                        .example = std::string(entry->example),
                        .options = RunOptions(*entry),
                        .labels = entry->labels,
                        .needs_training_set = entry->needs_training_set});
  }
  for (const BatchModelEntry* entry : BatchModels()) {
    subjects.push_back({.command = "fit",
                        .name = std::string(entry->name),
                        .example = std::string(entry->example),
                        .options = ConcatOptions(
                            {PrivacyOptions(), entry->options, TableOptions()}),
                        .labels = {LabelType::Kind::kTwo}});
  }
  return subjects;
}

// Those that were named; all if none was.
Result<std::vector<ModelSubject>> MakeSubjects(
    const std::vector<std::string>& names) {
  auto subjects = AllSubjects();
  if (names.empty()) return subjects;
  std::string known;
  for (const ModelSubject& subject : subjects) known += " " + subject.name;
  for (const std::string& name : names) {
    if (std::ranges::find(subjects, name, &ModelSubject::name) ==
        subjects.end()) {
      return InvalidArgument("no model '" + name + "'; there are" + known);
    }
  }
  std::erase_if(subjects, [&](const ModelSubject& subject) {
    return std::ranges::find(names, subject.name) == names.end();
  });
  return subjects;
}

Result<std::vector<std::string>> SplitProgram(const std::string& text) {
  std::vector<std::string> words;
  std::istringstream stream(text);
  std::string word;
  while (stream >> word) words.push_back(word);
  if (!words.empty()) return words;
  std::string self(4096, '\0');
  const ssize_t size = ::readlink("/proc/self/exe", self.data(), self.size());
  if (size <= 0) return InvalidArgument("say where this program is: --program");
  self.resize(static_cast<std::size_t>(size));
  return std::vector<std::string>{self};
}

Result<ModelAudit> MakeAudit(const Settings& settings,
                             const std::vector<std::string>& names) {
  SOTTO_TRY_ASSIGN(auto subjects, MakeSubjects(names));
  SOTTO_TRY_ASSIGN(auto program, SplitProgram(settings.Text("program")));
  ModelAudit audit{
      .program = std::move(program),
      .subjects = std::move(subjects),
      .plan = {.seed = settings.GetInt("seed"),
               .options = settings.GetOptionalInt("options").value_or(
                   ~std::uint64_t{0}),
               .pairs = settings.GetInt("pairs"),
               .runs = settings.GetInt("runs"),
               .quick = settings.Flag("quick")},
      .plain = settings.Flag("plain"),
      .timeout = std::chrono::milliseconds(
          static_cast<std::int64_t>(1000 * settings.GetDouble("timeout"))),
      .threads =
          static_cast<unsigned>(settings.GetOptionalInt("threads").value_or(
              std::max(1u, std::thread::hardware_concurrency())))};
  if (const auto seconds = settings.GetOptionalInt("seconds")) {
    audit.budget = std::chrono::seconds(*seconds);
  }
  if (settings.Has("shard")) {
    SOTTO_TRY_ASSIGN(const auto shard, ReadShard(settings.Text("shard")));
    audit.shard = shard.index;
    audit.shards = shard.count;
  }
  return audit;
}

int RunAuditModels(const Settings& settings,
                   const std::vector<std::string>& names) {
  auto audit = MakeAudit(settings, names);
  if (!audit) return Report(audit.error());
  AuditProgress progress(settings.Flag("progress") ||
                         ::isatty(STDERR_FILENO) != 0);
  audit->progress = [&progress](std::uint64_t cases, std::uint64_t of) {
    progress.Show(cases, of);
  };
  const auto result = AuditModels(*audit);
  if (!result) return Report(result.error());
  const std::string text = settings.Flag("json")
                               ? ModelAuditJson(*result).Dump() + "\n"
                               : ModelAuditText(*result);
  std::fputs(text.c_str(), stdout);
  return result->good() ? kDone : kFailed;
}

}  // namespace

Result<AuditShard> ReadShard(const std::string& text) {
  unsigned long long index = 0;
  unsigned long long count = 0;
  char rest = 0;
  const int read =
      std::sscanf(text.c_str(), "%llu/%llu%c", &index, &count, &rest);
  if (read != 2 || index < 1 || index > count || count > 1'000'000) {
    return InvalidArgument("--shard is I/N with I from 1 to N, as 3/8");
  }
  return AuditShard{index - 1, count};
}

Command AuditModelsCommand() {
  return {.name = "models",
          .help =
              "this program on streams that differ in one user's row, for "
              "every model, format and option there is: MODEL...",
          .footer =
              "Exit code 1: a leak, or a run that went wrong.\nExamples:\n  "
              "sotto audit models\n  sotto audit models tide leader --pairs "
              "100 --seed 7 --seconds 600",
          .options = ModelsOptions(),
          .call_with_words = RunAuditModels};
}

}  // namespace sotto::app
