#include "sotto/data/schemas/private_scaffold.h"

#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "sotto/data/schemas/private_ranges.h"
#include "sotto/data/schemas/schema_scaffold.h"
#include "sotto/data/streams/decimal.h"

namespace sotto {
namespace {

// The columns whose range is asked for: numbers without one.
std::vector<std::size_t> Unknown(const Schema& schema) {
  std::vector<std::size_t> places;
  for (std::size_t c = 0; c < schema.columns.size(); ++c) {
    const SchemaColumn& column = schema.columns[c];
    if (column.type == SchemaColumn::Type::kNumber && !column.range) {
      places.push_back(c);
    }
  }
  return places;
}

Result<PrivateRanges> ReadRanges(TableReader& table, const Schema& schema,
                                 const std::vector<std::size_t>& unknown,
                                 const ApproximateDp& budget) {
  auto ranges = PrivateRanges::Create({.epsilon = budget.epsilon,
                                       .delta = budget.delta,
                                       .columns = unknown.size()});
  if (!ranges) return ranges.error();
  std::vector<std::optional<double>> row(unknown.size());
  std::span<const std::string_view> fields;
  for (;;) {
    SOTTO_TRY_ASSIGN(const auto more, table.Next(fields));
    if (!more) return ranges;
    if (fields.empty()) continue;
    for (std::size_t i = 0; i < unknown.size(); ++i) {
      double value = 0;
      const auto place = table.Find(schema.columns[unknown[i]].name);
      row[i] = ParseDecimal(fields[*place], value) ? std::optional(value)
                                                   : std::nullopt;
    }
    ranges->Add(row);
  }
}

}  // namespace

Result<PrivateScaffold> ScaffoldWithPrivateRanges(TableReader& table,
                                                  const SchemaFacts& facts,
                                                  const ApproximateDp& budget,
                                                  Rng& rng) {
  SOTTO_TRY_ASSIGN(auto schema, Scaffold(table.columns(), facts));
  const std::vector<std::size_t> unknown = Unknown(schema);
  SOTTO_TRY_ASSIGN(const auto ranges,
                   ReadRanges(table, schema, unknown, budget));
  const auto found = ranges.Release(rng);
  for (std::size_t i = 0; i < unknown.size(); ++i) {
    schema.columns[unknown[i]].range = found[i];
  }
  return PrivateScaffold{std::move(schema), ranges.guarantee()};
}

}  // namespace sotto
