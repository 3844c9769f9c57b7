#include "sotto/data/schemas/schema_facts.h"

#include <cmath>
#include <set>
#include <utility>

#include "sotto/data/streams/decimal.h"

namespace sotto {

const SchemaColumn* SchemaFacts::Find(std::string_view name) const {
  for (const SchemaColumn& column : columns) {
    if (column.name == name) return &column;
  }
  return nullptr;
}

std::vector<std::string> Split(std::string_view text, char between) {
  std::vector<std::string> parts;
  for (;;) {
    const std::size_t end = text.find(between);
    parts.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

Result<std::pair<double, double>> ParseRange(std::string_view text) {
  const std::size_t dots = text.find("..");
  double low = 0;
  double high = 0;
  const bool good = dots != std::string_view::npos &&
                    ParseDecimal(text.substr(0, dots), low) &&
                    ParseDecimal(text.substr(dots + 2), high);
  if (!good || !(low < high) || !std::isfinite(high - low)) {
    return InvalidArgument("'" + std::string(text) +
                           "': expected LOW..HIGH, two numbers, the lower "
                           "first");
  }
  return std::pair(low, high);
}

namespace {

Result<SchemaColumn> ParseFact(std::string_view fact) {
  const std::size_t equals = fact.find('=');
  if (equals == std::string_view::npos || equals == 0) {
    return InvalidArgument("'" + std::string(fact) +
                           "': expected NAME=LOW..HIGH, NAME=A|B|C, "
                           "NAME=boolean or NAME=number");
  }
  SchemaColumn column{std::string(fact.substr(0, equals)),
                      SchemaColumn::Type::kNumber,
                      {},
                      std::nullopt};
  const std::string_view what = fact.substr(equals + 1);
  if (what == "number") return column;
  if (what == "boolean") {
    column.type = SchemaColumn::Type::kBoolean;
  } else if (what.find("..") != std::string_view::npos) {
    SOTTO_TRY_ASSIGN(const auto range, ParseRange(what));
    column.range = range;
  } else {
    column.type = SchemaColumn::Type::kCategory;
    column.values = Split(what, '|');
    const std::set<std::string> different(column.values.begin(),
                                          column.values.end());
    if (different.size() < column.values.size()) {
      return InvalidArgument("'" + std::string(fact) +
                             "': expected values that differ");
    }
  }
  return column;
}

}  // namespace

Result<std::vector<SchemaColumn>> ParseFacts(std::string_view text) {
  std::vector<SchemaColumn> columns;
  if (text.empty()) return columns;
  for (const std::string& fact : Split(text, ';')) {
    SOTTO_TRY_ASSIGN(auto column, ParseFact(fact));
    columns.push_back(std::move(column));
  }
  return columns;
}

}  // namespace sotto
