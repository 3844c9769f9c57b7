#include "sotto/data/streams/example_reader.h"

#include <utility>
#include <vector>

#include "sotto/data/streams/columns.h"
#include "sotto/data/streams/csv_fields.h"
#include "sotto/data/streams/csv_rows.h"
#include "sotto/data/streams/jsonl_rows.h"
#include "sotto/data/streams/libsvm_rows.h"
#include "sotto/data/streams/public_inputs.h"
#include "sotto/data/streams/vw_rows.h"

namespace sotto {
namespace {

using Rows = Result<std::unique_ptr<RowFormat>>;

template <typename T>
Rows Base(Result<std::unique_ptr<T>> made) {
  if (!made) return made.error();
  return std::unique_ptr<RowFormat>(*std::move(made));
}

Result<std::vector<std::string>> CsvColumns(const ExampleReader::Params& params,
                                            LineReader& lines) {
  if (!params.header) {
    const auto& schema = params.encoding.schema;
    return HeaderlessColumns(params.columns, schema
                                                 ? ListNames(*schema)
                                                 : std::vector<std::string>());
  }
  const auto line = lines.Next();
  if (!line && !lines.status()) return lines.status().error();
  if (!line && params.may_be_empty && params.encoding.schema) {
    return ListNames(*params.encoding.schema);
  }
  if (!line) return InvalidArgument("empty: expected a header");
  if (lines.cut())
    return InvalidArgument(LongLine(lines.max_line()).Text("line 1"));
  std::vector<std::string> columns;
  RowError fault;
  if (CsvHeader(*line, columns, fault)) return columns;
  return InvalidArgument(fault.Text("line 1"));
}

Rows MakeCsv(const ExampleReader::Params& params, LineReader& lines) {
  SOTTO_TRY_ASSIGN(auto columns, CsvColumns(params, lines));
  return Base(CsvRows::Create({.columns = std::move(columns),
                               .label = params.label,
                               .user = params.user,
                               .label_optional = params.label_optional,
                               .label_reading = params.label_reading,
                               .labels = params.labels,
                               .encoding = params.encoding}));
}

Rows ReadRows(const ExampleReader::Params& params, StreamFormat format,
              LineReader& lines) {
  if (format == StreamFormat::kCsv) return MakeCsv(params, lines);
  if (!params.label.empty() || !params.user.empty()) {
    return InvalidArgument(
        "only csv has columns to choose the label and the user from");
  }
  const EncodingParams& encoding = params.encoding;
  SOTTO_TRY_ASSIGN(auto label, GetLabel(params.labels, encoding.schema,
                                        params.label_reading));
  switch (format) {
    case StreamFormat::kLibsvm:
      return Base(LibsvmRows::Create(encoding, std::move(label)));
    case StreamFormat::kVw:
      return Base(VwRows::Create(encoding, std::move(label)));
    case StreamFormat::kJsonl:
    case StreamFormat::kCsv:
      break;
  }
  return Base(JsonlRows::Create(encoding, std::move(label)));
}

}  // namespace

Result<ExampleReader> ExampleReader::Open(Params params) {
  const auto format = params.format ? params.format : FormatOfPath(params.path);
  if (!format) {
    return InvalidArgument(
        params.path +
        ": cannot tell the format by the ending; give --format csv, libsvm, vw "
        "or jsonl");
  }
  // Without a header the first bytes belong to a user.
  const bool header = format == StreamFormat::kCsv && params.header;
  params.input.unpack = header || NamedGzip(params.path);
  SOTTO_TRY_ASSIGN(auto lines, OpenLines(params.path, params.input));
  ExampleReader reader;
  reader.name_ = InputName(params.path);
  reader.skip_bad_ = params.skip_bad;
  reader.quiet_faults_ = params.quiet_faults;
  reader.named_places_ = params.quiet_faults ? 0 : params.named_places;
  reader.limits_ = params.limits;
  reader.lines_ = std::move(lines);
  auto rows = ReadRows(params, *format, *reader.lines_);
  if (!rows) {
    return Error{rows.error().code, reader.name_ + ": " + rows.error().message};
  }
  reader.rows_ = *std::move(rows);
  return reader;
}

bool ExampleReader::Parse(std::string_view line, Round& round) {
  round.Clear();
  fault_.where.clear();
  fault_.column.clear();
  fault_.clamped = 0;
  fault_.unknown_label = false;
  if (lines_->cut()) {
    fault_ = LongLine(lines_->max_line());
  } else if (rows_->Parse(line, round, fault_) &&
             rows_->CheckValues(round, limits_, fault_)) {
    skipped_.AddNotes(fault_);
    return true;
  }
  MakeUnusable(round);
  skipped_.Add(fault_, name_, lines_->line_number(), named_places_);
  return false;
}

Result<bool> ExampleReader::Next(Round& round) {
  const auto line = lines_->Next();
  if (!line) {
    if (lines_->status()) return false;
    const Error& error = lines_->status().error();
    return Error{error.code, position() + ": " + error.message};
  }
  if (Parse(*line, round) || skip_bad_) return true;
  return InvalidArgument(quiet_faults_ ? fault_.PublicText(position())
                                       : fault_.Text(position()));
}

std::vector<std::string> ExampleReader::FeatureNames() const {
  return sotto::FeatureNames(encoding());
}

std::string ExampleReader::input_fingerprint() const {
  return InputFingerprint(encoding(), rows_->label().name, label_type());
}

std::string ExampleReader::position() const {
  return name_ + ", line " + std::to_string(lines_->line_number());
}

}  // namespace sotto
