#include "sotto/data/schemas/private_scaffold.h"

#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "sotto/data/schemas/private_ranges.h"
#include "sotto/data/schemas/schema_scaffold.h"
#include "sotto/data/streams/columns.h"
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

// The numbers of a row, in the places of the columns that are asked for.
class NumberColumns {
 public:
  NumberColumns(const TableReader& table, const Schema& schema,
                const std::vector<std::size_t>& unknown) {
    for (const std::size_t c : unknown) {
      places_.push_back(*table.Find(schema.columns[c].name));
    }
    row_.resize(places_.size());
  }

  std::span<const std::optional<double>> Read(
      std::span<const std::string_view> fields) {
    for (std::size_t i = 0; i < places_.size(); ++i) {
      double value = 0;
      row_[i] = ParseDecimal(fields[places_[i]], value) ? std::optional(value)
                                                        : std::nullopt;
    }
    return row_;
  }

 private:
  std::vector<std::size_t> places_;
  std::vector<std::optional<double>> row_;
};

// Step 5 of private_ranges.md: a name is charged whatever its row holds.
Status AddRows(TableReader& table, std::optional<std::size_t> user,
               const PrivateScaffoldParams& params, NumberColumns numbers,
               PrivateRanges& ranges) {
  std::span<const std::string_view> fields;
  for (;;) {
    SOTTO_TRY_ASSIGN(const auto more, table.Next(fields));
    if (!more) return Ok();
    const bool admitted = params.admit(user ? table.FieldAt(*user) : "");
    if (admitted && !fields.empty()) ranges.Add(numbers.Read(fields));
  }
}

}  // namespace

Result<PrivateScaffold> ScaffoldWithPrivateRanges(
    TableReader& table, const SchemaFacts& facts,
    const PrivateScaffoldParams& params, Rng& rng) {
  SOTTO_TRY_ASSIGN(auto schema, Scaffold(table.columns(), facts));
  SOTTO_TRY_ASSIGN(const auto user,
                   FindUserColumn(table.columns(), facts.user,
                                  LabelColumn(table.columns(), facts)));
  const std::vector<std::size_t> unknown = Unknown(schema);
  SOTTO_TRY_ASSIGN(auto ranges, PrivateRanges::Create(
                                    {.epsilon = params.budget.epsilon,
                                     .delta = params.budget.delta,
                                     .columns = unknown.size(),
                                     .rows_per_user = params.rows_per_user}));
  SOTTO_TRY(AddRows(table, user, params, NumberColumns(table, schema, unknown),
                    ranges));
  const auto found = ranges.Release(rng);
  for (std::size_t i = 0; i < unknown.size(); ++i) {
    schema.columns[unknown[i]].range = found[i];
  }
  return PrivateScaffold{std::move(schema), ranges.guarantee()};
}

}  // namespace sotto
