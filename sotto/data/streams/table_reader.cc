#include "sotto/data/streams/table_reader.h"

#include <algorithm>
#include <utility>

#include "sotto/data/streams/csv_fields.h"

namespace sotto {
Result<TableReader> TableReader::Open(Params params) {
  params.input.unpack = params.header || NamedGzip(params.path);
  SOTTO_TRY_ASSIGN(auto lines, OpenLines(params.path, params.input));
  TableReader table;
  table.params_ = std::move(params);
  table.lines_ = std::move(lines);
  const std::string name = InputName(table.params_.path);
  if (!table.params_.header) {
    table.columns_ = table.params_.columns;
    if (!table.columns_.empty()) return table;
    return InvalidArgument(name +
                           ": without a header the columns must be given");
  }
  const auto first = table.lines_->Next();
  if (!first) {
    const Status& status = table.lines_->status();
    if (status && table.params_.may_be_empty) return table;
    return InvalidArgument(
        name + ": " +
        (status ? "empty: expected a header" : status.error().message));
  }
  RowError fault;
  if (table.lines_->cut()) {
    fault = LongLine(table.lines_->max_line());
  } else if (CsvHeader(*first, table.columns_, fault)) {
    return table;
  }
  return InvalidArgument(fault.Text(name + ", line 1"));
}

std::optional<std::size_t> TableReader::Find(std::string_view column) const {
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (columns_[i] == column) return i;
  }
  return std::nullopt;
}

Result<bool> TableReader::Next(std::span<const std::string_view>& fields) {
  fields = {};
  const auto line = lines_->Next();
  line_ = line && !lines_->cut() ? *line : std::string_view();
  if (!line) {
    if (lines_->status()) return false;
    const Error& error = lines_->status().error();
    return Error{error.code, position() + ": " + error.message};
  }
  RowError fault;
  bool good = !lines_->cut() && SplitCsv(*line, fields_, unquoted_, fault);
  if (lines_->cut()) fault = LongLine(lines_->max_line());
  const bool whole = good && fields_.size() == columns_.size();
  if ((!lines_->cut() && IsBlankLine(*line)) ||
      (whole && std::ranges::all_of(fields_, &std::string_view::empty))) {
    ++absent_;
    return true;
  }
  if (good && fields_.size() != columns_.size()) {
    fault = WrongFieldCount(fields_.size(), columns_.size());
    good = false;
  }
  if (good) {
    fields = fields_;
    return true;
  }
  skipped_.Add(fault, InputName(params_.path), lines_->line_number(),
               params_.quiet_faults ? 0 : params_.named_places);
  if (params_.skip_bad) return true;
  return InvalidArgument(params_.quiet_faults ? fault.PublicText(position())
                                              : fault.Text(position()));
}

std::string TableReader::FieldAt(std::size_t place) const {
  return CsvFieldAt(line_, place);
}

std::string TableReader::position() const {
  return InputName(params_.path) + ", line " +
         std::to_string(lines_->line_number());
}

}  // namespace sotto
