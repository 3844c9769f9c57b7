#include "cover_table.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>
#include <utility>

#include "command.h"

namespace sotto::app {

Result<CoverTable> CoverTable::Open(Params params,
                                    const CoverColumns& columns) {
  auto reader = TableReader::Open({.path = params.path,
                                   .header = params.header,
                                   .skip_bad = false,
                                   .input = {}});
  if (!reader) return reader.error();
  CoverTable table(std::move(params), columns, *std::move(reader));
  for (const CoverColumn& column : columns.columns()) {
    const auto place = table.reader_.Find(column.name);
    if (!place) {
      return InvalidArgument(table.params_.path + ", line 1: no column '" +
                             column.name + "'");
    }
    table.places_.push_back(*place);
  }
  table.label_ = table.reader_.Find(table.params_.label_column);
  return table;
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

Status CoverTable::ForEach(const Take& take) {
  std::span<const std::string_view> fields;
  std::vector<double> row(places_.size());
  const auto fault = [&](std::size_t place, const Error& error) {
    return InvalidArgument(
        reader_.position() + ", column " + std::to_string(place + 1) + " ('" +
        reader_.columns()[place] + "'): " + Quote(fields[place]) + ": " +
        error.message);
  };
  for (;;) {
    const auto more = reader_.Next(fields);
    if (!more) return more.error();
    if (!*more) return Ok();
    for (std::size_t c = 0; c < places_.size(); ++c) {
      const auto value = columns_->Encode(c, fields[places_[c]]);
      if (!value) return fault(places_[c], value.error());
      row[c] = *value;
    }
    std::optional<bool> label;
    if (label_) {
      const auto parsed = Label(fields[*label_]);
      if (!parsed) return fault(*label_, parsed.error());
      label = *parsed;
    }
    take(row, label);
  }
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

Result<std::string> ReadText(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (!file || !(text << file.rdbuf())) {
    return InvalidArgument("cannot read " + path + ": " + std::strerror(errno));
  }
  return text.str();
}

}  // namespace sotto::app
