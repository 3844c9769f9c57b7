#include "sotto/models/fits/greedy_cover/cover_table.h"

#include "sotto/data/streams/columns.h"
#include "sotto/data/streams/stream_format.h"

namespace sotto {

Result<TableReader> OpenCoverTable(const TableSource& source,
                                   const std::vector<std::string>& names,
                                   bool may_be_empty) {
  const auto format = source.format.empty() ? FormatOfPath(source.path)
                                            : FormatNamed(source.format);
  if (format && format != StreamFormat::kCsv) {
    return InvalidArgument(source.path +
                           ": greedy-cover takes tables in csv, nothing else");
  }
  TableReader::Params params{.path = source.path,
                             .header = source.header,
                             .may_be_empty = may_be_empty};
  if (!source.header) {
    std::optional<std::uint32_t> count;
    if (source.columns) count = static_cast<std::uint32_t>(*source.columns);
    SOTTO_TRY_ASSIGN(auto columns, HeaderlessColumns(count, names));
    params.columns = std::move(columns);
  }
  return TableReader::Open(std::move(params));
}

Result<CoverTable> CoverTable::Of(TableReader reader, Params params,
                                  const CoverColumns& columns) {
  CoverTable table(std::move(reader), std::move(params), columns);
  if (table.reader_.columns().empty()) return table;
  SOTTO_TRY(table.FindColumns());
  return table;
}

Status CoverTable::FindColumns() {
  for (const CoverColumn& column : columns_->columns()) {
    const auto place = reader_.Find(column.name);
    if (!place) {
      return InvalidArgument(params_.name + ", line 1: no column " +
                             Shown(column.name));
    }
    places_.push_back(*place);
  }
  if (params_.label_column.empty()) return Ok();
  label_ = reader_.Find(params_.label_column);
  if (label_ || !params_.needs_labels) return Ok();
  return InvalidArgument(params_.name + ", line 1: no label column " +
                         Shown(params_.label_column) + "; --label names it");
}

Result<bool> CoverTable::Label(std::string_view field) const {
  const DecisionList::LabelNames& names = params_.labels;
  if (field == names.positive) return true;
  if (field == names.negative) return false;
  if (names.negative == "0" && names.positive == "1") {
    if (field == "+1" || field == "true") return true;
    if (field == "-1" || field == "false") return false;
  }
  return InvalidArgument("expected the label " + names.negative + " or " +
                         names.positive);
}

bool CoverTable::Read(Fields fields, std::vector<double>& x,
                      std::optional<bool>& y, RowError& fault) const {
  const auto fail = [&](std::size_t place, FaultReason reason,
                        const Error& error) {
    fault = {.reason = reason,
             .where = "column " + std::to_string(place + 1) + " (" +
                      Shown(reader_.columns()[place]) + ")",
             .message = Shown(fields[place]) + ": " + error.message};
    return false;
  };
  for (std::size_t c = 0; c < places_.size(); ++c) {
    const auto value = columns_->Encode(c, fields[places_[c]]);
    if (!value) {
      const bool number = (*columns_)[c].type == CoverColumn::Type::kNumber;
      return fail(places_[c],
                  number ? FaultReason::kNotNumber : FaultReason::kValue,
                  value.error());
    }
    x[c] = *value;
  }
  if (!label_) return true;
  const std::string_view field = fields[*label_];
  if (!params_.needs_labels && (field.empty() || field == "?")) return true;
  const auto label = Label(field);
  if (!label) return fail(*label_, FaultReason::kLabel, label.error());
  y = *label;
  return true;
}

// Reads the next row. False at the end.
Result<bool> CoverTable::Next(std::vector<double>& x, Row& row) {
  Fields fields;
  const auto more = reader_.Next(fields);
  if (!more && !reader_.can_go_on()) return more.error();
  if (more && !*more) return false;
  if (!more) row.bad = more.error().message;
  if (params_.user) row.user = reader_.FieldAt(*params_.user);
  if (fields.empty()) return true;
  RowError fault;
  row.usable = Read(fields, x, row.y, fault);
  if (row.usable) {
    row.x = x;
    return true;
  }
  row.y.reset();
  row.bad = reader_.position() + ", " + fault.where + ": " + fault.message;
  skipped_.Add(fault.reason);
  return true;
}

Status CoverTable::ForEach(const Take& take) {
  std::vector<double> x(places_.size());
  for (;;) {
    Row row;
    SOTTO_TRY_ASSIGN(const auto more, Next(x, row));
    if (!more) break;
    if (!row.bad.empty() && !params_.skip_bad) return InvalidArgument(row.bad);
    SOTTO_TRY(take(row));
  }
  skipped_.Add(reader_.skipped());
  return Ok();
}

}  // namespace sotto
