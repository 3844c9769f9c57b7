#include "extension/published.h"

#include <pybind11/stl.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <limits>
#include <utility>

#include "extension/bindings.h"
#include "extension/label_reader.h"
#include "extension/whole_numbers.h"
#include "extension/without_gil.h"
#include "sotto/models/registry/registry.h"

namespace sotto::python {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

using ReadNext = std::function<bool(std::size_t i, Round& round, RowError&)>;

std::size_t Width(const Scorer& scorer, Output output) {
  switch (output) {
    case Output::kLabels:
      return 1;
    case Output::kScores:
      if (scorer.has_scores()) return scorer.outputs();
      Raise({ErrorCode::kFailedPrecondition,
             "the model is a rule, and has no scores: ask it for "
             "predictions"});
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

// Names of the columns of a table. A rule may ask whether a field is missing,
// and not for its value: a mark stands behind the column of its field, or
// alone.
std::vector<std::string> FieldNames(const Schema& schema) {
  std::vector<std::string> names;
  for (const SchemaColumn& column : schema.columns) {
    if (names.empty() || names.back() != column.field()) {
      names.push_back(column.field());
    }
  }
  return names;
}

// A name for the column of users, which rows do not have here: neither a
// feature's nor the label's.
std::string UserColumn(const std::vector<std::string>& columns,
                       const std::string& label) {
  std::string name = "user";
  while (name == label || std::ranges::find(columns, name) != columns.end()) {
    name += '_';
  }
  return name;
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

Published::Published(const std::string& text, bool any_names) {
  const Json model = Checked(Json::Parse(text));
  scorer_ = Checked(MakeScorer(model));
  name_ = *model.Find("model")->text();
  const PublishedModel read = Checked(FindPublishedModel(name_)->read(model));
  label_ = read.label;
  columns_ =
      read.encoding.schema ? FieldNames(*read.encoding.schema) : read.columns;
  ReaderParams params{.label = read.label_column,
                      .user = UserColumn(columns_, read.label_column),
                      .label_reading = LabelReading::kIgnored,
                      .encoding = read.encoding,
                      .limits = read.limits};
  constant_ = !any_names && params.encoding.schema && columns_.empty();
  if (constant_) {
    params.encoding.schema.reset();
    params.encoding.features = 0;
  }
  if (any_names) {
    // All features are buckets where the file does not say otherwise.
    if (params.encoding.hash_bits == 0 && params.encoding.features) {
      const std::uint32_t features = *params.encoding.features;
      params.encoding.hash_bits = std::bit_width(features) - 1;
      params.encoding.features = features - std::bit_floor(features);
    }
    reader_ = Checked(RowReader::CreateNamed(params));
  } else {
    reader_ = Checked(columns_.empty() ? RowReader::CreateSparse(params)
                                       : RowReader::Create(params, columns_));
  }
}

py::dict Published::Facts() const {
  py::dict facts;
  facts["model"] = name_;
  facts["columns"] = columns_;
  facts["constant"] = constant_;
  facts["labels"] = LabelObjects(label_);
  facts["number"] = label_.kind == LabelType::Kind::kNumber;
  facts["scores"] = scorer_->has_scores();
  facts["probabilities"] = scorer_->has_probabilities();
  facts["width"] = reader_->width();
  return facts;
}

}  // namespace sotto::python
