#include "sotto/streams/example_reader.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <utility>
#include <vector>

#include "sotto/streams/csv_fields.h"
#include "sotto/streams/csv_rows.h"
#include "sotto/streams/jsonl_rows.h"
#include "sotto/streams/libsvm_rows.h"
#include "sotto/streams/vw_rows.h"

namespace sotto {
namespace {

using Rows = Result<std::unique_ptr<RowFormat>>;

template <typename T>
Rows Base(Result<std::unique_ptr<T>> made) {
  if (!made) return made.error();
  return std::unique_ptr<RowFormat>(*std::move(made));
}

// `first` receives the first line if it is a row: without a header.
Rows MakeCsv(const ExampleReader::Params& params, LineReader& lines,
             std::optional<std::string>& first) {
  const auto line = lines.Next();
  if (!line && !lines.status()) return lines.status().error();
  if (!line) {
    return InvalidArgument(std::string("empty: expected ") +
                           (params.header ? "a header" : "rows"));
  }
  std::vector<std::string> columns;
  RowFault fault;
  if (!CsvColumns(*line, params.header, columns, fault)) {
    return InvalidArgument("line 1" +
                           (fault.where.empty() ? "" : ", " + fault.where) +
                           ": " + fault.message);
  }
  if (!params.header) first = std::string(*line);
  return Base(CsvRows::Create({.columns = std::move(columns),
                               .label = params.label,
                               .user = params.user,
                               .label_optional = params.label_optional,
                               .labels = params.labels,
                               .encoding = params.encoding}));
}

Rows MakeRows(const ExampleReader::Params& params, StreamFormat format,
              LineReader& lines, std::optional<std::string>& first) {
  if (format == StreamFormat::kCsv) return MakeCsv(params, lines, first);
  if (!params.label.empty() || !params.user.empty()) {
    return InvalidArgument(
        "only csv has columns to choose the label and the user from");
  }
  LabelWords::Words words = params.labels;
  if (const auto& schema = params.encoding.schema;
      !words && schema && schema->label) {
    words.emplace(schema->label->negative, schema->label->positive);
  }
  LabelWords labels(std::move(words));
  switch (format) {
    case StreamFormat::kLibsvm:
      return Base(LibsvmRows::Create(params.encoding, std::move(labels)));
    case StreamFormat::kVw:
      return Base(VwRows::Create(params.encoding, std::move(labels)));
    case StreamFormat::kJsonl:
    case StreamFormat::kCsv:
      break;
  }
  return Base(JsonlRows::Create(params.encoding, std::move(labels)));
}

}  // namespace

Result<ExampleReader> ExampleReader::Open(Params params) {
  const auto format = params.format ? params.format : FormatOfPath(params.path);
  if (!format) {
    return InvalidArgument(
        params.path +
        ": cannot tell the format by the ending; give csv, libsvm, vw or "
        "jsonl as the format");
  }
  auto lines = OpenLines(params.path, params.input);
  if (!lines) return lines.error();
  ExampleReader reader;
  reader.name_ = InputName(params.path);
  reader.skip_bad_ = params.skip_bad;
  reader.max_magnitude_ = params.max_magnitude;
  reader.lines_ = *std::move(lines);
  auto rows = MakeRows(params, *format, *reader.lines_, reader.first_row_);
  if (!rows) {
    return Error{rows.error().code, reader.name_ + ": " + rows.error().message};
  }
  reader.rows_ = *std::move(rows);
  return reader;
}

Result<bool> ExampleReader::Next(Example& example) {
  while (true) {
    std::optional<std::string_view> line;
    std::string held;
    if (first_row_) {
      held = *std::exchange(first_row_, std::nullopt);
      line = held;
    } else {
      line = lines_->Next();
    }
    if (!line) {
      if (lines_->status()) return false;
      const Error& error = lines_->status().error();
      return Error{error.code, position() + ": " + error.message};
    }
    switch (rows_->Parse(*line, example, fault_)) {
      case RowFormat::Outcome::kExample:
        if (max_magnitude_ && TooLarge(example)) break;
        return true;
      case RowFormat::Outcome::kBlank:
        continue;
      case RowFormat::Outcome::kFault:
        break;
    }
    if (!skip_bad_) {
      return InvalidArgument(position() +
                             (fault_.where.empty() ? "" : ", " + fault_.where) +
                             ": " + fault_.message);
    }
    skipped_.Add(fault_.reason);
  }
}

bool ExampleReader::TooLarge(const Example& example) {
  const double most = *max_magnitude_;
  for (const Feature& feature : example.x) {
    if (std::abs(feature.value) <= most) continue;
    if (feature.index >= encoding().dense()) continue;
    std::array<char, 96> text;
    std::snprintf(text.data(), text.size(),
                  "%g: expected a magnitude of at most %g", feature.value,
                  most);
    fault_ = {FaultReason::kRange, rows_->Where(feature.index), text.data()};
    return true;
  }
  return false;
}

std::string ExampleReader::position() const {
  return name_ + ", line " + std::to_string(lines_->line_number());
}

}  // namespace sotto
