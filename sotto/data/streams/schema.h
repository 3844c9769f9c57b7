#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sotto/base/json.h"
#include "sotto/base/label.h"
#include "sotto/base/result.h"

namespace sotto {

// One column of a table, as everybody may know it before any data is seen.
struct SchemaColumn {
  enum class Type { kCategory, kNumber, kBoolean };
  std::string name = {};
  Type type = Type::kNumber;
  // Values of a category, in this order; kOtherValue and kMissingValue last.
  std::vector<std::string> values = {};
  // Range of a number, low < high.
  std::optional<std::pair<double, double>> range = {};
  // A field may be missing: "missing": true.
  bool missing = false;
  // A category takes values that are not listed: "other": true.
  bool other = false;
  // A mark, a Boolean column: 1 where the field of this column is missing. A
  // number or Boolean that may be missing has one behind it.
  std::string missing_of = {};
  // A category whose values are hashed into this many buckets instead of
  // listed; only for columns that a program makes.
  std::uint32_t buckets = 0;

  // Name of the column of a table that holds its fields.
  const std::string& field() const {
    return missing_of.empty() ? name : missing_of;
  }
  // Number of features it takes in a row.
  std::uint32_t features() const;
  // Values as the schema lists them, without the two below.
  std::span<const std::string> listed() const;
};

// Values of a category for what is not listed, and for a missing field.
inline constexpr std::string_view kOtherValue = "(other)";
inline constexpr std::string_view kMissingValue = "(missing)";

// Returns true for the texts that stand for a missing field: nothing, ?, NA,
// N/A, NaN and null, upper or lower case. A category that lists one of them
// takes it as a value.
bool IsMissing(std::string_view field);

// Makes a column that may be missing, and take other values if it is a
// category: adds the values, or for other columns the mark, behind `columns`.
void AddColumn(SchemaColumn column, std::vector<SchemaColumn>& columns);

// Which column is the label, and what it holds: one of two, one of k classes,
// or a number in a range.
struct SchemaLabel {
  std::string column;
  LabelType type;
};

// Privacy budget that a schema has cost the people of a table: of ranges that
// were found privately.
struct SchemaCost {
  double epsilon = 0;
  double delta = 0;
  // "epsilon 0.1, delta 1e-06".
  std::string Text() const;
};

// The public description of a table: columns, types, category values, ranges.
//
//   auto schema = Schema::FromFile("mushroom.schema.json");
//   if (!schema) return schema.error();  // file, JSON path, what was expected
//   schema->columns[0].values ...
//
// Nothing in it may come from the private data. The format is described in
// docs/formats/streams.md.
struct Schema {
  std::vector<SchemaColumn> columns;
  std::optional<SchemaLabel> label = {};
  std::optional<SchemaCost> spent = {};

  // Fails with kInvalidArgument if it is not a schema, cannot be read, or is
  // larger than kMaxBytes.
  static constexpr std::size_t kMaxBytes = std::size_t{1} << 26;
  static Result<Schema> FromFile(const std::string& path);
  // `source` is what errors call the text.
  static Result<Schema> Parse(std::string_view text, const std::string& source);

  // The place of the column of that name in `columns`.
  std::optional<std::size_t> Find(std::string_view name) const;
  // Number of columns of a table that it describes: marks do not count.
  std::size_t fields() const;
  // The columns as Parse reads them: a list, without the label.
  Json ColumnsJson() const;
};

}  // namespace sotto
