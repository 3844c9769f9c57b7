#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sotto/base/label.h"
#include "sotto/base/result.h"

namespace sotto {

// One column of a table, as everybody may know it before any data is seen.
struct SchemaColumn {
  enum class Type { kCategory, kNumber, kBoolean };
  std::string name;
  Type type = Type::kNumber;
  std::vector<std::string> values;  // of a category, in this order
  std::optional<std::pair<double, double>> range;  // of a number: low < high
};

// Which column is the label, and what it holds: one of two, one of k classes,
// or a number in a range.
struct SchemaLabel {
  std::string column;
  LabelType type;
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
  std::optional<SchemaLabel> label;

  // Fails with kInvalidArgument if it is not a schema, cannot be read, or is
  // larger than kMaxBytes.
  static constexpr std::size_t kMaxBytes = std::size_t{1} << 26;
  static Result<Schema> FromFile(const std::string& path);
  // `source` is what errors call the text.
  static Result<Schema> Parse(std::string_view text, const std::string& source);

  // The place of the column of that name in `columns`.
  std::optional<std::size_t> Find(std::string_view name) const;
};

}  // namespace sotto
