// Audits the whole program in two worlds, for every model, format and option:
//
//   audit_models [MODEL...] [--pairs 100] [--seed 7] [--seconds 600]
//
// Prints a JSON report. Exit code 1: a leak, or a run that went wrong; 2: wrong
// usage.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <span>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "sotto/audit/shard.h"
#include "sotto/base/settings.h"
#include "sotto/frontend/output_options.h"
#include "sotto/frontend/reader_options.h"
#include "sotto/frontend/run_table.h"
#include "sotto/models/registry/registry.h"
#include "sotto/online/shared_options.h"
#include "sotto/testing/model_audit/model_audit.h"

namespace sotto {
namespace {

using Words = std::vector<std::string>;

const OptionTable& Options() {
  static const OptionTable kTable = {
      // Values of options to try for each model, drawn by the seed; unset: all.
      {.name = "options", .type = OptionType::kWhole},
      // Pairs of options, for each model.
      {.name = "pairs", .type = OptionType::kWhole, .fallback = "20"},
      // Runs of each model's plainest case in each world, to find numbers that
      // should have noise.
      {.name = "runs", .type = OptionType::kWhole, .fallback = "24"},
      // Decides which options meet which formats and each other.
      {.name = "seed", .type = OptionType::kWhole, .fallback = "1"},
      // Few formats and changes.
      {.name = "quick", .type = OptionType::kFlag},
      // Plan from scratch in every run instead of resuming from saved states.
      {.name = "plain", .type = OptionType::kFlag},
      // No case begins later. The most important ones come first.
      {.name = "seconds", .type = OptionType::kWhole, .high = 1e6},
      // I/N: only every N-th case, from the I-th on.
      {.name = "shard"},
      // Words that start the program; unset: `sotto` beside this one.
      {.name = "program"},
      // Seconds after which a run hangs.
      {.name = "timeout", .type = OptionType::kReal, .fallback = "60"},
      // Cases at a time; unset: one for each core.
      {.name = "threads", .type = OptionType::kWhole, .low = 1, .high = 1024}};
  return kTable;
}

std::vector<ModelSubject> AllSubjects() {
  std::vector<ModelSubject> subjects;
  for (const OnlineModelEntry* entry : OnlineModels()) {
    OptionTable options = ConcatOptions({RunTable(*entry), StrictOption()});
    if (FindPublishedModel(entry->name) != nullptr) {
      options = ConcatOptions({options, HypothesisOption()});
    }
    subjects.push_back({.command = "run",
                        .name = std::string(entry->name),
                        .example = std::string(entry->example),
                        .options = std::move(options),
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

// The named subjects; all if none was named.
Result<std::vector<ModelSubject>> MakeSubjects(const Words& names) {
  auto subjects = AllSubjects();
  if (names.empty()) return subjects;
  for (const std::string& name : names) {
    if (std::ranges::find(subjects, name, &ModelSubject::name) ==
        subjects.end()) {
      return InvalidArgument("no model '" + name + "'");
    }
  }
  std::erase_if(subjects, [&](const ModelSubject& subject) {
    return std::ranges::find(names, subject.name) == names.end();
  });
  return subjects;
}

Words MakeProgram(const Settings& settings) {
  std::istringstream stream(settings.Text("program"));
  Words words;
  std::string word;
  while (stream >> word) words.push_back(word);
  if (!words.empty()) return words;
  const auto self = std::filesystem::read_symlink("/proc/self/exe");
  return {self.parent_path() / "sotto"};
}

Result<ModelAudit> MakeAudit(const Settings& settings, const Words& names) {
  SOTTO_TRY_ASSIGN(auto subjects, MakeSubjects(names));
  ModelAudit audit{
      .program = MakeProgram(settings),
      .subjects = std::move(subjects),
      .plan = {.seed = settings.GetInt("seed"),
               .options = settings.GetOptionalInt("options").value_or(
                   ~std::uint64_t{0}),
               .pairs = settings.GetInt("pairs"),
               .runs = settings.GetInt("runs"),
               .quick = settings.Flag("quick")},
      .plain = settings.Flag("plain"),
      .budget = std::chrono::seconds(
          settings.GetOptionalInt("seconds").value_or(1'000'000)),
      .timeout = std::chrono::milliseconds(
          static_cast<std::int64_t>(1000 * settings.GetDouble("timeout"))),
      .threads =
          static_cast<unsigned>(settings.GetOptionalInt("threads").value_or(
              std::max(1u, std::thread::hardware_concurrency())))};
  if (settings.Has("shard")) {
    SOTTO_TRY_ASSIGN(const auto shard, ReadShard(settings.Text("shard")));
    audit.shard = shard.index;
    audit.shards = shard.count;
  }
  return audit;
}

// Fills the settings; returns the words without a name.
Result<Words> ReadArguments(std::span<char* const> arguments,
                            Settings& settings) {
  Words names;
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    const std::string_view word = arguments[i];
    if (!word.starts_with("--")) {
      names.emplace_back(word);
      continue;
    }
    const auto name = word.substr(2);
    const Option* option = FindOption(settings.table(), name);
    const bool flag = option != nullptr && option->type == OptionType::kFlag;
    const bool last = i + 1 == arguments.size();
    SOTTO_TRY(settings.Set(name, flag ? "true" : last ? "" : arguments[++i]));
  }
  return names;
}

Result<ModelAuditResult> Run(std::span<char* const> arguments) {
  Settings settings(Options());
  SOTTO_TRY_ASSIGN(const auto names, ReadArguments(arguments, settings));
  SOTTO_TRY_ASSIGN(const auto audit, MakeAudit(settings, names));
  return AuditModels(audit);
}

}  // namespace
}  // namespace sotto

int main(int argc, char** argv) {
  const auto result =
      sotto::Run(std::span(argv, static_cast<std::size_t>(argc)));
  if (!result) {
    std::fprintf(stderr, "audit_models: %s\n", result.error().message.c_str());
    return 2;
  }
  std::puts(sotto::ModelAuditJson(*result).Dump().c_str());
  return result->good() ? 0 : 1;
}
