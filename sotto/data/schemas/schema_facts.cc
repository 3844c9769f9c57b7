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

// "1-2", "1:2", "[1, 2]": two numbers and something between them.
bool LooksLikeRange(std::string_view text) {
  if (text.starts_with('[') || text.starts_with('(')) text.remove_prefix(1);
  if (text.ends_with(']') || text.ends_with(')')) text.remove_suffix(1);
  const std::size_t between = text.find_first_of("-:,", 1);
  if (between == std::string_view::npos) return false;
  const std::size_t high = text.find_first_not_of(' ', between + 1);
  double number = 0;
  return high != std::string_view::npos &&
         ParseDecimal(text.substr(0, between), number) &&
         ParseDecimal(text.substr(high), number);
}

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
    const auto range = ParseRange(what);
    if (!range) {
      return InvalidArgument("'" + std::string(fact) + "': expected " +
                             column.name +
                             "=LOW..HIGH, two numbers, the lower first");
    }
    column.range = *range;
  } else {
    if (LooksLikeRange(what)) {
      return InvalidArgument("'" + std::string(fact) + "': write a range as " +
                             column.name + "=LOW..HIGH, as in " + column.name +
                             "=0..120");
    }
    if (what.find('|') == std::string_view::npos &&
        what.find(',') != std::string_view::npos) {
      return InvalidArgument("'" + std::string(fact) +
                             "': values are separated by |, as in " +
                             column.name + "=A|B|C");
    }
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
