#include <array>
#include <chrono>
#include <cstdio>
#include <string>

#include "command.h"
#include "commands.h"
#include "sotto/data/files/distinct_files.h"
#include "sotto/data/files/output_file.h"
#include "sotto/frontend/fresh_key.h"
#include "sotto/frontend/reader_options.h"
#include "sotto/models/registry/registry.h"
#include "sotto/online/shared_options.h"
#include "sotto/report/fit_report.h"

namespace sotto::app {
namespace {

const OptionTable& FitOptions() {
  static const OptionTable kTable = {
      {.name = "out",
       .help = "where the model goes, JSON",
       .letter = 'o',
       .required = true,
       .kept = false},
      {.name = "seed",
       .type = OptionType::kWhole,
       .help = "experiments only: the result is then not private",
       .kept = false},
      {.name = "json",
       .type = OptionType::kFlag,
       .help = "a report on standard output, as JSON",
       .kept = false},
      {.name = "quiet",
       .type = OptionType::kFlag,
       .help = "say nothing but errors",
       .kept = false}};
  return kTable;
}

// Before the table is read: what cannot be written, or would replace it.
Status CheckFiles(const Settings& settings) {
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

void Tell(const Settings& settings, const FitReport& report) {
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

int Fit(const BatchRow& row, const Settings& settings) {
  const auto key = FreshKey(settings.MaybeWhole("seed"));
  if (!key) return Report(key.error());
  if (Status good = CheckFiles(settings); !good) return Report(good.error());
  const auto start = std::chrono::steady_clock::now();
  const auto fitted = row.fit(settings, TableSourceOf(settings), *key);
  if (!fitted) return Report(fitted.error());
  const std::chrono::duration<double> time =
      std::chrono::steady_clock::now() - start;
  if (Status written =
          WriteOutput(settings.Text("out"), fitted->model.Dump() + "\n");
      !written) {
    return Report(written.error());
  }
  Tell(settings, {.model = std::string(row.name),
                  .fitted = *fitted,
                  .seconds = time.count(),
                  .seeded = settings.Has("seed"),
                  .skip_bad = settings.Flag("skip-bad")});
  return kDone;
}

}  // namespace

Command FitCommand() {
  Command fit{
      .name = "fit",
      .help = "Learn a model from a private table that may be published",
      .footer =
          "An error names the row that cannot be read, and the "
          "error itself depends on the data: it is for the "
          "operator.",
      .commands_are = "model"};
  for (const BatchRow* row : BatchModels()) {
    fit.commands.push_back(
        {.name = std::string(row->name),
         .help = std::string(row->help),
         .footer = "Example: sotto fit " + std::string(row->name) + " " +
                   std::string(row->example) +
                   " --data table.csv --out model.json",
         .options = Together(
             {PrivacyOptions(), row->options, TableOptions(), FitOptions()}),
         .call = [row](const Settings& settings) {
           return Fit(*row, settings);
         }});
  }
  return fit;
}

}  // namespace sotto::app
