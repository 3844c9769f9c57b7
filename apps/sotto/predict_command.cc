#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "command.h"
#include "commands.h"
#include "published_file.h"
#include "sotto/base/number_text.h"
#include "sotto/base/printable.h"
#include "sotto/data/files/distinct_files.h"
#include "sotto/data/files/output_file.h"
#include "sotto/data/streams/line_io.h"
#include "sotto/frontend/answer_text.h"
#include "sotto/frontend/reader_options.h"
#include "sotto/models/batch/table_predictor.h"
#include "sotto/online/label_metrics.h"
#include "sotto/report/metrics.h"

namespace sotto::app {
namespace {

// Counts over the rows of a table. Operator only.
struct Count {
  std::uint64_t rows = 0;
  std::uint64_t labelled = 0;
  double loss = 0;
  LabelMetrics metrics;
};

Json MakeReport(const Count& count, const TablePredictor& table) {
  Json report = Json::Object{{"rows", count.rows}};
  Json operator_only = Json::Array{"rows"};
  const auto add = [&](const char* name, Json value) {
    report[name] = std::move(value);
    operator_only.Add(name);
  };
  const SkipCounts& skipped = table.skipped();
  if (skipped.unknown_labels > 0) add("unknown_labels", skipped.unknown_labels);
  if (skipped.clamped > 0) add("clamped", skipped.clamped);
  if (count.labelled == 0) return report;
  const double average = count.loss / static_cast<double>(count.labelled);
  if (!CountsMistakes(table.label().kind)) {
    add("mean_absolute_error", average);
  } else {
    add("errors", static_cast<std::uint64_t>(count.loss));
    add("error_rate", average);
  }
  Json metrics = Json::Object{};
  AddMetrics(count.metrics, table.label(), metrics);
  for (const auto& [name, value] : *metrics.object()) add(name.c_str(), value);
  report["not_covered"] = std::move(operator_only);
  return report;
}

// Prints a note about unknown labels, or about a table without labels.
void PrintNotes(const Count& count, const TablePredictor& table) {
  const std::uint64_t unknown = table.skipped().unknown_labels;
  if (unknown > 0) {
    Warn(WithCommas(unknown) + " rows have a label that is none of " +
         ShownList(table.label().names.empty()
                       ? std::vector<std::string>{"0", "1"}
                       : table.label().names) +
         "; they are not counted");
  } else if (count.labelled == 0) {
    Warn("no labels to compare with in column " + Shown(table.label_column()) +
         "; --label names another column");
  }
}

// Before a row is read: an output that would replace an input.
Status CheckFiles(const Settings& settings) {
  const std::array inputs = {NamedFile{"--model", settings.Text("model")},
                             NamedFile{"--data", settings.Text("data")},
                             NamedFile{"--schema", settings.Text("schema")}};
  return CheckDistinct(
      inputs, std::array{NamedFile{"-p", settings.Text("predictions")}});
}

// Writes the predictions, if there is an output for them, and counts.
Status PredictRows(const Settings& settings, TablePredictor& table,
                   LineWriter* lines, Count& count) {
  const bool probabilities = settings.Flag("probabilities");
  const auto threshold = settings.GetOptionalDouble("threshold");
  TablePredictor::Row row;
  for (;;) {
    SOTTO_TRY_ASSIGN(const auto more, table.Next(row));
    if (!more) return Ok();
    ++count.rows;
    if (row.answer && threshold) {
      if (!row.answer->probability || table.label().classes() != 2) {
        return InvalidArgument(
            "--threshold needs a model with probabilities of two labels");
      }
      row.answer->prediction = Label(*row.answer->probability >= *threshold);
    }
    if (row.answer && row.y) {
      ++count.labelled;
      count.loss += Loss(row.answer->prediction, *row.y);
      count.metrics.Add(row.answer->prediction, row.answer->probability, *row.y,
                        table.label());
    }
    if (lines == nullptr) continue;
    const Round shown{
        .prediction =
            row.answer ? std::optional(row.answer->prediction) : std::nullopt,
        .probability = row.answer ? row.answer->probability : std::nullopt};
    lines->Text(PrintableLine(AnswerText(shown, table.label(), probabilities)));
    SOTTO_TRY(lines->EndLine());
  }
}

// The file appears only when all rows have been read.
int WriteRows(const Settings& settings, TablePredictor& table, Count& count) {
  auto out = OutputFile::Create(
      settings.Has("predictions") ? settings.Text("predictions") : "-");
  if (!out) return Report(out.error());
  LineWriter lines(out->fd());
  Status done = PredictRows(settings, table, &lines, count);
  if (done) done = lines.Flush();
  if (lines.closed()) return kDone;  // Its reader has seen enough.
  if (done) done = out->Commit();
  return done ? kDone : Report(done.error());
}

int Predict(const Settings& settings) {
  const auto file = ReadPublished(settings.Text("model"));
  if (!file) return Report(file.error());
  if (Status good = CheckFiles(settings); !good) return Report(good.error());
  const bool json = settings.Flag("json");
  if (settings.Text("predictions") == "-" && json) {
    return Report(InvalidArgument("-p - and --json both want standard output"));
  }
  const auto model = file->format->read(file->model);
  if (!model) return Report(model.error());
  auto table = TablePredictor::Open(*model, MakeTableSource(settings), json);
  if (!table) return Report(table.error());
  WarnIfSeeded(file->model);
  Count count;
  int exit_code = kDone;
  if (!json || settings.Has("predictions")) {
    exit_code = WriteRows(settings, *table, count);
  } else if (Status done = PredictRows(settings, *table, nullptr, count);
             !done) {
    exit_code = Report(done.error());
  }
  if (!json || exit_code != kDone) return exit_code;
  PrintNotes(count, *table);
  Print(MakeReport(count, *table));
  return kDone;
}

}  // namespace

Command PredictCommand() {
  OptionTable own = {
      {.name = "model",
       .help = "the file that `fit` or `run --publish` wrote",
       .value = "FILE",
       .letter = 'm',
       .required = true},
      {.name = "predictions",
       .help = "Write the labels here. Default: standard output.",
       .value = "FILE",
       .letter = 'p'},
      {.name = "probabilities",
       .type = OptionType::kFlag,
       .help = "write each prediction with its probability, where the model "
               "has one",
       .letter = 'P'},
      {.name = "threshold",
       .type = OptionType::kReal,
       .help = "predict the positive label from this probability on, instead "
               "of 0.5: for rare labels",
       .high = 1},
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
