#include "extension/published.h"

#include <pybind11/stl.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <limits>
#include <utility>

#include "extension/bindings.h"
#include "extension/label_reader.h"
#include "extension/memory_file.h"
#include "extension/whole_numbers.h"
#include "extension/without_gil.h"
#include "sotto/models/batch/table_predictor.h"
#include "sotto/models/fits/fit_file.h"
#include "sotto/models/fits/greedy_cover/cover_model.h"
#include "sotto/models/registry/registry.h"
#include "sotto/models/tide/tide_model_file.h"
#include "sotto/models/winnow/winnow_publication.h"

namespace sotto::python {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

using ReadNext = std::function<bool(std::size_t i, Round& round, RowError&)>;

std::size_t Width(const Scorer& scorer, Output output) {
  switch (output) {
    case Output::kLabels:
      return 1;
    case Output::kScores:
      return scorer.outputs();
    case Output::kProbabilities:
      break;
  }
  if (!scorer.has_probabilities()) {
    Raise({ErrorCode::kFailedPrecondition,
           "the model publishes no probabilities: ask it for predictions"});
  }
  return scorer.label_type().classes();
}

// Appends what was asked for about one row.
void Append(const Scorer& scorer, const Round& round, Output output,
            std::span<double> scores, std::span<double> answer) {
  std::ranges::fill(answer, kNone);
  if (!round.present()) return;
  scorer.Scores(round.x, scores);
  switch (output) {
    case Output::kLabels:
      answer[0] = scorer.Predict(scores).number();
      break;
    case Output::kScores:
      std::ranges::copy(scores, answer.begin());
      break;
    case Output::kProbabilities:
      scorer.Probabilities(scores, answer);
      break;
  }
}

Status ScoreAll(const Scorer& scorer, std::size_t rows, const ReadNext& next,
                bool strict, Output output, std::span<double> answers) {
  const std::size_t width = rows == 0 ? 0 : answers.size() / rows;
  std::vector<double> scores(scorer.outputs());
  Round round;
  for (std::size_t i = 0; i < rows; ++i) {
    round.Clear();
    RowError fault;
    if (!next(i, round, fault)) {
      if (strict)
        return InvalidArgument(fault.Text("row " + std::to_string(i)));
      MakeUnusable(round);
    }
    Append(scorer, round, output, scores, answers.subspan(i * width, width));
  }
  return Ok();
}

// "table, line 7" of a block that starts after that many rows.
std::string InBlock(std::string message, const std::string& path,
                    std::size_t rows) {
  const std::string line = ", line ";
  auto at = message.find(path);
  if (at == std::string::npos) return message;
  message.replace(at, path.size(), "table");
  at = message.find("table" + line);
  if (at == std::string::npos || rows == 0) return message;
  const std::size_t start = at + 5 + line.size();
  const std::size_t end = message.find_first_not_of("0123456789", start);
  const std::string number = message.substr(start, end - start);
  if (number.empty() || number.size() > 12) return message;
  return message.replace(start, number.size(),
                         std::to_string(std::stoull(number) + rows));
}

std::vector<std::string> SchemaNames(const Schema& schema) {
  std::vector<std::string> names;
  for (const SchemaColumn& column : schema.columns) {
    names.push_back(column.name);
  }
  return names;
}

}  // namespace

Output ParseOutput(const std::string& name) {
  if (name == "scores") return Output::kScores;
  return name == "probabilities" ? Output::kProbabilities : Output::kLabels;
}

py::bytes ScoreTable(const Scorer& scorer, const RowReader& reader,
                     const Table& table, bool strict, Output output) {
  if (table.columns() != reader.width()) {
    Raise(InvalidArgument("X has " + std::to_string(table.columns()) +
                          " features, but the model is expecting " +
                          std::to_string(reader.width()) +
                          " features as input"));
  }
  std::vector<double> answers(table.rows() * Width(scorer, output));
  const ReadNext next = [&](std::size_t i, Round& round, RowError& fault) {
    return table.Read(reader, i, round, fault);
  };
  Status done = Ok();
  if (table.objects()) {
    done = ScoreAll(scorer, table.rows(), next, strict, output, answers);
  } else {
    const WithoutGil released;
    done = ScoreAll(scorer, table.rows(), next, strict, output, answers);
  }
  Check(done);
  return ToBytes(answers);
}

py::bytes ScoreRows(const Scorer& scorer, const RowReader& reader,
                    const py::list& rows, bool strict, Output output) {
  const py::tuple held(rows);  // a list may change while its rows are read
  std::vector<double> answers(held.size() * Width(scorer, output));
  const ReadNext next = [&](std::size_t i, Round& round, RowError& fault) {
    return reader.Read(held[i], round, fault);
  };
  Check(ScoreAll(scorer, held.size(), next, strict, output, answers));
  return ToBytes(answers);
}

Published::Published(const std::string& text, bool any_names)
    : model_(Checked(Json::Parse(text))) {
  const Json* name = model_.Find("model");
  const std::string* known = name == nullptr ? nullptr : name->text();
  format_ = known == nullptr ? nullptr : FindPublishedModel(*known);
  if (format_ == nullptr) {
    Raise(InvalidArgument("this is nothing that a model has published"));
  }
  scorer_ = Checked(MakeScorer(model_));
  if (*known == "tide") {
    ReadTide(any_names);
  } else if (*known == "winnow") {
    ReadWinnow(any_names);
  } else {
    ReadRule();
  }
}

void Published::ReadTide(bool any_names) {
  const TideModelFile file = Checked(TideFromJson(model_));
  label_ = file.hypothesis.label;
  ReaderParams params{.label = file.label_column,
                      .label_reading = LabelReading::kIgnored,
                      .encoding = {.schema = file.schema, .clamp = true}};
  if (file.schema) {
    columns_ = SchemaNames(*file.schema);
    reader_ = Checked(RowReader::Create(params, columns_));
    return;
  }
  const std::uint32_t features =
      file.hypothesis.frame.encoding().groups().front().size;
  if (any_names) {
    params.encoding.hash_bits = std::bit_width(features) - 1;
    params.encoding.features = features - std::bit_floor(features);
    reader_ = Checked(RowReader::CreateNamed(params));
    return;
  }
  params.encoding.features = features;
  reader_ = Checked(RowReader::CreateSparse(params));
}

void Published::ReadWinnow(bool any_names) {
  const ReadHalfspace file = Checked(ReadPublication(model_));
  label_ = scorer_->label_type();
  const ReaderParams params{.label_reading = LabelReading::kIgnored,
                            .encoding = file.encoding};
  columns_ = file.columns;
  if (file.encoding.schema) columns_ = SchemaNames(*file.encoding.schema);
  if (any_names) {
    reader_ = Checked(RowReader::CreateNamed(params));
  } else {
    reader_ = Checked(columns_.empty() ? RowReader::CreateSparse(params)
                                       : RowReader::Create(params, columns_));
  }
}

void Published::ReadRule() {
  if (format_->name == "greedy-cover") {
    const CoverModel file = Checked(CoverModel::FromJson(model_));
    label_.names = {file.labels.negative, file.labels.positive};
    label_column_ = file.label_column;
    for (const CoverColumn& column : file.list.columns().columns()) {
      columns_.push_back(column.name);
    }
    return;
  }
  const FitFile file = Checked(FitFile::FromJson(model_));
  label_.names = {file.labels.negative, file.labels.positive};
  label_column_ = file.labels.column;
  for (const FitColumn& column : file.columns.all()) {
    columns_.push_back(column.name);
  }
}

py::dict Published::Facts() const {
  py::dict facts;
  facts["model"] = std::string(format_->name);
  facts["columns"] = columns_;
  facts["label_column"] = label_column_;
  facts["labels"] = LabelObjects(label_);
  facts["number"] = label_.kind == LabelType::Kind::kNumber;
  facts["scores"] = scorer_ != nullptr;
  facts["probabilities"] = scorer_ && scorer_->has_probabilities();
  facts["width"] = reader_ ? reader_->width() : columns_.size();
  facts["any_names"] = reader_ && reader_->any_names();
  facts["sparse"] = reader_ && reader_->sparse();
  return facts;
}

// The place of each row's label among the names; kNone for a skipped row.
Status Published::PredictTable(const TableSource& source,
                               std::vector<double>& answers) const {
  SOTTO_TRY_ASSIGN(const auto model, format_->read(model_));
  SOTTO_TRY_ASSIGN(auto table, TablePredictor::Open(model, source, false));
  TablePredictor::Row row;
  for (;;) {
    SOTTO_TRY_ASSIGN(const bool more, table.Next(row));
    if (!more) return Ok();
    const std::string text =
        row.answer ? table.label().Name(row.answer->prediction) : "";
    const auto place = std::ranges::find(label_.names, text);
    answers.push_back(place == label_.names.end()
                          ? kNone
                          : static_cast<double>(place - label_.names.begin()));
  }
}

py::bytes Published::PredictByRule(const Table& table,
                                   Table::CsvParams csv) const {
  constexpr std::size_t kBlock = 16384;
  std::vector<double> answers;
  answers.reserve(table.rows());
  for (std::size_t start = 0; start < table.rows(); start += kBlock) {
    csv.first = start;
    csv.end = std::min(start + kBlock, table.rows());
    const MemoryFile file = Checked(MemoryFile::Create(table.Csv(csv)));
    Status done = Ok();
    {
      const WithoutGil released;
      done = PredictTable({.path = file.path(),
                           .label = label_column_,
                           .format = "csv",
                           .skip_bad = !csv.strict},
                          answers);
    }
    if (!done) {
      Raise({done.error().code,
             InBlock(done.error().message, file.path(), start)});
    }
  }
  return ToBytes(answers);
}

}  // namespace sotto::python
