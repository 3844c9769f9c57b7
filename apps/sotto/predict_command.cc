#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "command.h"
#include "cover_table.h"
#include "sotto/files/output_file.h"
#include "sotto/models/greedy_cover/cover_model.h"
#include "sotto/streams/columns.h"
#include "sotto/streams/line_io.h"

namespace sotto::app {
namespace {

struct PredictFlags {
  std::string model;
  std::string data;
  std::string predictions;
  bool no_header = false;
  std::optional<std::uint32_t> columns;
  bool json = false;
};

struct Tally {
  std::uint64_t rows = 0;
  std::uint64_t errors = 0;
};

void Tell(const Tally& tally, bool labelled) {
  nlohmann::ordered_json report = {{"rows", tally.rows}};
  if (labelled) {
    report["errors"] = tally.errors;
    report["error_rate"] = tally.rows == 0
                               ? 0.0
                               : static_cast<double>(tally.errors) /
                                     static_cast<double>(tally.rows);
    report["not_covered"] = {"rows", "errors", "error_rate"};
  }
  std::printf("%s\n", report.dump().c_str());
}

int RunPredict(const PredictFlags& flags) {
  const auto text = ReadText(flags.model);
  if (!text) return Report(text.error());
  const auto model = CoverModel::FromJson(*text, flags.model);
  if (!model) return Report(model.error());
  if (!model->is_private) {
    std::fprintf(stderr,
                 "NOT PRIVATE: this model was made with a seed; its guarantee "
                 "is not kept.\n");
  }
  std::vector<std::string> names{model->label_column};
  for (const CoverColumn& column : model->list.columns().columns()) {
    names.push_back(column.name);
  }
  auto columns = HeaderlessColumns(flags.columns, names);
  if (flags.no_header && !columns) return Report(columns.error());
  if (!flags.no_header) columns = std::vector<std::string>();
  auto table = CoverTable::Open(
      {.path = flags.data,
       .header = !flags.no_header,
       .columns = *std::move(columns),
       .label_column = flags.json ? model->label_column : std::string(),
       .labels = model->labels,
       .may_be_empty = true},
      model->list.columns());
  if (!table) return Report(table.error());
  const DecisionList list = model->list.Simplified();
  // With --json the report has the output to itself.
  const bool write = !flags.json || !flags.predictions.empty();
  Tally tally;
  std::string lines;
  const Status read =
      table->ForEach([&](std::span<const double> row, std::optional<bool> y) {
        const bool label = list.Predict(row);
        ++tally.rows;
        if (y && *y != label) ++tally.errors;
        if (!write) return;
        lines += label ? model->labels.positive : model->labels.negative;
        lines += '\n';
      });
  if (!read) return Report(read.error());
  if (write) {
    const std::string path =
        flags.predictions.empty() ? "-" : flags.predictions;
    if (const Status written = WriteOutput(path, lines); !written) {
      return Report(written.error());
    }
  }
  if (flags.json) Tell(tally, table->has_label());
  return kDone;
}

}  // namespace

void AddPredictCommand(CLI::App& app, int& exit_code) {
  CLI::App* command =
      app.add_subcommand("predict", "Use a model that was fitted");
  command->footer(
      "Writes one label a line. With --json and labelled data: how often the "
      "model is wrong, which is not covered by its guarantee; without --json "
      "the label column is not looked at.\n"
      "Example: sotto predict --model model.json --data mushroom.csv "
      "--no-header");
  auto flags = std::make_shared<PredictFlags>();
  command->add_option("-m,--model", flags->model, "the model, JSON")
      ->required();
  command->add_option("-d,--data", flags->data, "the table, csv")->required();
  command->add_option("-p,--predictions", flags->predictions,
                      "a file for the labels (default: standard output)");
  command->add_flag("--no-header", flags->no_header,
                    "the columns are called c1, c2, ...");
  command->add_option("--columns", flags->columns,
                      "without a header: how many columns, unless the model "
                      "names them all");
  command->add_flag("--json", flags->json, "a report on stdout, as JSON");
  command->callback([flags, &exit_code] { exit_code = RunPredict(*flags); });
}

}  // namespace sotto::app
