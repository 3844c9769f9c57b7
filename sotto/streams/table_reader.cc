#include "sotto/streams/table_reader.h"

#include <utility>

#include "sotto/streams/csv_fields.h"

namespace sotto {
namespace {

std::string At(const std::string& path, std::uint64_t line) {
  return InputName(path) + ", line " + std::to_string(line);
}

}  // namespace

Result<TableReader> TableReader::Open(Params params) {
  auto lines = OpenLines(params.path, params.input);
  if (!lines) return lines.error();
  TableReader table;
  table.params_ = std::move(params);
  table.lines_ = *std::move(lines);
  const std::string& path = table.params_.path;
  const auto first = table.lines_->Next();
  if (!first) {
    const Status& status = table.lines_->status();
    return InvalidArgument(
        InputName(path) + ": " +
        (status ? "empty: expected rows" : status.error().message));
  }
  RowFault fault;
  if (!CsvColumns(*first, table.params_.header, table.columns_, fault)) {
    return InvalidArgument(At(path, 1) +
                           (fault.where.empty() ? "" : ", " + fault.where) +
                           ": " + fault.message);
  }
  if (!table.params_.header) table.first_row_ = std::string(*first);
  return table;
}

std::optional<std::size_t> TableReader::Find(std::string_view column) const {
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (columns_[i] == column) return i;
  }
  return std::nullopt;
}

Result<bool> TableReader::Next(std::span<const std::string_view>& fields) {
  while (true) {
    std::optional<std::string_view> line;
    if (first_row_) {
      held_ = *std::exchange(first_row_, std::nullopt);
      line = held_;
    } else {
      line = lines_->Next();
    }
    if (!line) {
      if (lines_->status()) return false;
      const Error& error = lines_->status().error();
      return Error{error.code, position() + ": " + error.message};
    }
    if (IsBlankLine(*line)) continue;
    RowFault fault;
    bool good = SplitCsv(*line, fields_, unquoted_, fault);
    if (good && fields_.size() != columns_.size()) {
      fault = WrongFieldCount(fields_.size(), columns_.size());
      good = false;
    }
    if (good) {
      fields = fields_;
      return true;
    }
    if (!params_.skip_bad) {
      return InvalidArgument(position() + ": " + fault.message);
    }
    skipped_.Add(fault.reason);
  }
}

std::string TableReader::position() const {
  return At(params_.path, lines_->line_number());
}

}  // namespace sotto
