#include <array>
#include <chrono>
#include <cstdio>
#include <string>

#include "command.h"
#include "commands.h"
#include "sotto/base/number_text.h"
#include "sotto/base/printable.h"
#include "sotto/data/files/distinct_files.h"
#include "sotto/data/files/output_file.h"
#include "sotto/frontend/budget_options.h"
#include "sotto/frontend/fresh_key.h"
#include "sotto/frontend/reader_options.h"
#include "sotto/models/registry/registry.h"
#include "sotto/online/shared_options.h"
#include "sotto/report/fit_report.h"

namespace sotto::app {
namespace {

const OptionTable& FitOptions() {
  static const OptionTable kTable = {
      UserOption(),
      {.name = "out",
       .help = "Write the model here, as JSON.",
       .value = "FILE",
       .common = true,
       .letter = 'o',
       .kept = false},
      {.name = "strict",
       .type = OptionType::kFlag,
       .help = "Only check the table. Writes nothing; fails if a row is bad.",
       .kept = false},
      {.name = "seed",
       .type = OptionType::kWhole,
       .help = "NOT PRIVATE: reproducible noise for experiments.",
       .kept = false},
      {.name = "json",
       .type = OptionType::kFlag,
       .help = "Print a JSON report.",
       .kept = false},
      {.name = "quiet",
       .type = OptionType::kFlag,
       .help = "Print only errors.",
       .kept = false}};
  return kTable;
}

// Fails, before the table is read, if the model cannot be written or would
// replace an input.
Status CheckFiles(const Settings& settings) {
  if (!settings.Has("out")) {
    return InvalidArgument("--out is required: where the model goes, JSON");
  }
  const NamedFile data{"--data", settings.Text("data")};
  const NamedFile schema{"--schema", settings.Text("schema")};
  const NamedFile out{"--out", settings.Text("out")};
  if (Status distinct =
          CheckDistinct(std::array{data, schema}, std::array{out});
      !distinct) {
    return distinct;
  }
  const auto file = OutputFile::Create(out.path);
  return file ? Ok() : Status(file.error());
}

void PrintResult(const Settings& settings, const FitReport& report) {
  std::fputs(FitWarning(report).c_str(), stderr);
  if (!settings.Flag("quiet")) {
    for (const std::string& note : report.fitted.notes) {
      std::fprintf(stderr, "%s\n", note.c_str());
    }
  }
  if (settings.Flag("json")) {
    std::printf("%s\n", FitJson(report).Dump().c_str());
  } else if (!settings.Flag("quiet")) {
    std::fputs(FitText(report).c_str(), stdout);
    std::fputs(FitNotes(report).c_str(), stderr);
  }
}

// Prints the first bad rows. Not private: an answer about a row.
int CheckTable(const BatchModelEntry& entry, const Settings& settings) {
  const auto use = entry.check(settings, MakeFitSource(settings));
  if (!use) return Report(use.error());
  const std::uint64_t bad = use->skipped.total();
  if (bad == 0) return kDone;
  for (const std::string& row : use->first) {
    std::fprintf(stderr, "%s\n", Printable(row).c_str());
  }
  return Report(
      InvalidArgument(WithCommas(bad) + (bad == 1 ? " bad row" : " bad rows")));
}

int Fit(const BatchModelEntry& entry, const Settings& settings) {
  if (settings.Flag("strict")) return CheckTable(entry, settings);
  const auto key = FreshKey(settings.GetOptionalInt("seed"));
  if (!key) return Report(key.error());
  if (Status good = CheckFiles(settings); !good) return Report(good.error());
  if (Status good = CheckBudget(settings); !good) return Report(good.error());
  BudgetRequest request(settings, "fit " + std::string(entry.name));
  if (Status paid = request.Charge(); !paid) return Report(paid.error());
  const auto start = std::chrono::steady_clock::now();
  const auto fitted = entry.fit(settings, MakeFitSource(settings), *key);
  if (!fitted) return Report(fitted.error());
  if (Status paid = request.Settle(fitted->guarantee); !paid) {
    return Report(paid.error());
  }
  const std::chrono::duration<double> time =
      std::chrono::steady_clock::now() - start;
  if (Status written =
          WriteOutput(settings.Text("out"), fitted->model.Dump() + "\n");
      !written) {
    return Report(written.error());
  }
  PrintResult(settings, {.model = std::string(entry.name),
                         .fitted = *fitted,
                         .seconds = time.count(),
                         .seeded = settings.Has("seed")});
  return kDone;
}

}  // namespace

Command FitCommand() {
  Command fit{
      .name = "fit",
      .help = "Learn a publishable model from a finished table",
      .footer =
          "A bad row is an empty place. The rows of a user (column user) "
          "beyond the first --rounds-per-user are empty places, too. The "
          "report says how many there are: it is for the operator.",
      .commands_are = "model"};
  for (const BatchModelEntry* entry : BatchModels()) {
    fit.commands.push_back(
        {.name = std::string(entry->name),
         .help = std::string(entry->help),
         .footer = "Example: sotto fit " + std::string(entry->name) + " " +
                   std::string(entry->example) +
                   " --data table.csv --out model.json",
         .options =
             ConcatOptions({PrivacyOptions(), entry->options, TableOptions(),
                            FitOptions(), BudgetOptions()}),
         .call = [entry](const Settings& settings) {
           return Fit(*entry, settings);
         }});
  }
  return fit;
}

}  // namespace sotto::app
