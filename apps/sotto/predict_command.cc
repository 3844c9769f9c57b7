#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "command.h"
#include "commands.h"
#include "published_file.h"
#include "sotto/base/printable.h"
#include "sotto/data/files/distinct_files.h"
#include "sotto/data/files/output_file.h"
#include "sotto/data/streams/line_io.h"
#include "sotto/frontend/reader_options.h"

namespace sotto::app {
namespace {

struct Count {
  std::uint64_t rows = 0;
  std::uint64_t labelled = 0;
  double cost = 0;
};

Json MakeReport(const Count& count, bool numbers) {
  Json report = Json::Object{{"rows", count.rows}};
  if (count.labelled == 0) return report;
  const double average = count.cost / static_cast<double>(count.labelled);
  if (numbers) {
    report["mean_absolute_error"] = average;
    report["not_covered"] = Json::Array{"rows", "mean_absolute_error"};
    return report;
  }
  report["errors"] = static_cast<std::uint64_t>(count.cost);
  report["error_rate"] = average;
  report["not_covered"] = Json::Array{"rows", "errors", "error_rate"};
  return report;
}

// True if the model's label is a number in a range.
bool TellsNumbers(const Json& model) {
  const Json* label = model.Find("label");
  return label != nullptr && label->Find("range") != nullptr;
}

// Before a row is read: an output that would replace an input.
Status CheckFiles(const Settings& settings) {
  const std::array inputs = {NamedFile{"--model", settings.Text("model")},
                             NamedFile{"--data", settings.Text("data")},
                             NamedFile{"--schema", settings.Text("schema")}};
  return CheckDistinct(
      inputs, std::array{NamedFile{"-p", settings.Text("predictions")}});
}

// Nothing is written under the name before all rows have been read.
int Predict(const Settings& settings) {
  const auto file = ReadPublished(settings.Text("model"));
  if (!file) return Report(file.error());
  if (Status good = CheckFiles(settings); !good) return Report(good.error());
  const bool json = settings.Flag("json");
  if (settings.Text("predictions") == "-" && json) {
    return Report(InvalidArgument("-p - and --json both want standard output"));
  }
  WarnIfSeeded(file->model);
  std::optional<OutputFile> out;
  if (!json || settings.Has("predictions")) {
    auto created = OutputFile::Create(
        settings.Has("predictions") ? settings.Text("predictions") : "-");
    if (!created) return Report(created.error());
    out.emplace(*std::move(created));
  }
  LineWriter lines(out ? out->fd() : -1);
  Count count;
  const Status read = file->format->predict(
      file->model, MakeTableSource(settings), json,
      [&](std::string_view prediction, std::optional<double> cost) -> Status {
        ++count.rows;
        if (cost) ++count.labelled;
        count.cost += cost.value_or(0);
        if (!out) return Ok();
        // A name of a class, from the model's file.
        lines.Text(PrintableLine(prediction));
        return lines.EndLine();
      });
  if (lines.closed()) return kDone;  // Its reader has seen enough.
  if (!read) return Report(read.error());
  if (out) {
    const Status flushed = lines.Flush();
    if (lines.closed()) return kDone;
    if (!flushed) return Report(flushed.error());
    if (Status done = out->Commit(); !done) return Report(done.error());
  }
  if (json) Print(MakeReport(count, TellsNumbers(file->model)));
  return kDone;
}

}  // namespace

Command PredictCommand() {
  OptionTable own = {
      {.name = "model",
       .help = "the file that `fit` or `run --publish` wrote",
       .letter = 'm',
       .required = true},
      {.name = "predictions",
       .help = "Write the labels here. Default: standard output.",
       .letter = 'p'},
      {.name = "json",
       .type = OptionType::kFlag,
       .help = "Print a JSON report with the error rate, which is "
               "operator-only; otherwise labels are not read."}};
  return {.name = "predict",
          .help = "Apply a published model to a table",
          .footer =
              "Example: sotto predict --model model.json --data "
              "mushroom.csv --no-header",
          .options = ConcatOptions({own, TableOptions()}),
          .call = Predict};
}

}  // namespace sotto::app
