#include "cover_table.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>
#include <utility>

#include "command.h"
#include "sotto/base/rational.h"

namespace sotto::app {

Result<CoverTable> CoverTable::Open(Params params,
                                    const CoverColumns& columns) {
  auto reader =
      TableReader::Open({.path = params.path,
                         .header = params.header,
                         .columns = params.columns,
                         .may_be_empty = params.may_be_empty,
                         .skip_bad = params.bad_row != BadRow::kFails});
  if (!reader) return reader.error();
  return Read(std::move(params), *std::move(reader), columns);
}

Result<CoverTable> CoverTable::Read(Params params, TableReader reader,
                                    const CoverColumns& columns) {
  CoverTable table(std::move(params), columns);
  if (reader.columns().empty()) return table;
  table.reader_ = std::move(reader);
  if (const Status found = table.FindColumns(); !found) return found.error();
  return table;
}

Status CoverTable::FindColumns() {
  for (const CoverColumn& column : columns_->columns()) {
    const auto place = reader_->Find(column.name);
    if (!place) {
      return InvalidArgument(params_.path + ", line 1: no column '" +
                             column.name + "'");
    }
    places_.push_back(*place);
  }
  if (!params_.label_column.empty()) {
    label_ = reader_->Find(params_.label_column);
  }
  return Ok();
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

bool CoverTable::Read(Fields fields, std::vector<double>& row,
                      std::optional<bool>& label, RowFault& fault) const {
  const auto fail = [&](std::size_t place, FaultReason reason,
                        const Error& error) {
    fault = {.reason = reason,
             .where = "column " + std::to_string(place + 1) + " ('" +
                      reader_->columns()[place] + "')",
             .message = Quote(fields[place]) + ": " + error.message};
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
    row[c] = *value;
  }
  if (!label_) return true;
  const auto parsed = Label(fields[*label_]);
  if (!parsed) return fail(*label_, FaultReason::kLabel, parsed.error());
  label = *parsed;
  return true;
}

void CoverTable::Blank(std::uint64_t rows, const Take& take) const {
  if (params_.bad_row != BadRow::kBlank) return;
  const std::vector<double> blank = columns_->BlankRow();
  for (std::uint64_t i = 0; i < rows; ++i) take(blank, false);
}

Status CoverTable::ForEach(const Take& take) {
  if (!reader_) return Ok();
  Fields fields;
  std::vector<double> row(places_.size());
  for (;;) {
    const auto more = reader_->Next(fields);
    if (!more) return more.error();
    if (!*more) break;
    if (fields.empty()) continue;
    std::optional<bool> label;
    RowFault fault;
    if (Read(fields, row, label, fault)) {
      take(row, label);
      continue;
    }
    if (params_.bad_row == BadRow::kFails) {
      return InvalidArgument(reader_->position() + ", " + fault.where + ": " +
                             fault.message);
    }
    skipped_.Add(fault.reason);
  }
  for (std::size_t i = 0; i < kFaultReasons; ++i) {
    skipped_.by_reason[i] += reader_->skipped().by_reason[i];
  }
  Blank(skipped_.total() + reader_->absent(), take);
  return Ok();
}

Result<DecisionList::LabelNames> ParseLabels(const std::string& text) {
  const std::size_t comma = text.find(',');
  if (comma == std::string::npos) {
    return InvalidArgument("--labels needs two words, as in no,yes");
  }
  DecisionList::LabelNames names{.negative = text.substr(0, comma),
                                 .positive = text.substr(comma + 1)};
  if (names.negative.empty() || names.positive.empty() ||
      names.negative == names.positive) {
    return InvalidArgument("--labels needs two different words, as in no,yes");
  }
  return names;
}

Result<CoverScore> ParseReward(const std::string& text) {
  if (text == "0") return CoverScore{};
  const auto reward = ParseRational(text);
  if (!reward || reward->denominator() > 100 || reward->numerator() > 100) {
    return InvalidArgument("--reward must be 0 or a fraction such as 1/5");
  }
  return CoverScore{
      .penalty = static_cast<std::uint32_t>(reward->denominator()),
      .reward = static_cast<std::uint32_t>(reward->numerator())};
}

Result<std::string> ReadText(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (!file || !(text << file.rdbuf())) {
    return InvalidArgument("cannot read " + path + ": " + std::strerror(errno));
  }
  return text.str();
}

}  // namespace sotto::app
