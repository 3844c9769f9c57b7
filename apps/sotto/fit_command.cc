#include <chrono>
#include <cstdio>
#include <string>

#include "command.h"
#include "commands.h"
#include "noise_key.h"
#include "output_file.h"
#include "reader_options.h"
#include "sotto/model/shared_options.h"
#include "sotto/registry/registry.h"
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

int Fit(const BatchRow& row, const Settings& settings) {
  const auto key = FreshKey(settings.MaybeWhole("seed"));
  if (!key) return Report(key.error());
  auto file = OutputFile::Create(settings.Text("out"));
  if (!file) return Report(file.error());
  const auto start = std::chrono::steady_clock::now();
  const auto fitted = row.fit(settings, TableSourceOf(settings), *key);
  if (!fitted) return Report(fitted.error());
  const std::chrono::duration<double> time =
      std::chrono::steady_clock::now() - start;
  if (Status written = file->Write(fitted->model.Dump() + "\n"); !written) {
    return Report(written.error());
  }
  const bool seeded = settings.Has("seed");
  if (settings.Flag("json")) {
    std::printf(
        "%s\n",
        FitJson(row.name, *fitted, seeded, time.count()).Dump().c_str());
  } else if (!settings.Flag("quiet")) {
    std::fputs(FitText(row.name, *fitted, seeded).c_str(), stdout);
  }
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
                   std::string(row->example),
         .options = Together(
             {PrivacyOptions(), row->options, TableOptions(), FitOptions()}),
         .call = [row](const Settings& settings) {
           return Fit(*row, settings);
         }});
  }
  return fit;
}

}  // namespace sotto::app
