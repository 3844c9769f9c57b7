#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sotto/base/feature_view.h"
#include "sotto/base/result.h"
#include "sotto/data/streams/schema.h"

namespace sotto {

// One column as rules see it. A field becomes a number: the place of a category
// among `values` (one past the last for any other text), the bucket of a hashed
// category, 0 or 1 for a Boolean, a number itself, below all others if it is
// missing.
struct CoverColumn {
  enum class Type { kCategory, kHashed, kBoolean, kNumber };
  std::string name;
  Type type = Type::kCategory;
  std::vector<std::string> values{};  // of a category
  std::uint32_t buckets = 0;          // of a hashed category
  std::vector<double> cuts{};         // of a number, ascending
  // A field may be missing: for a category the last of its values.
  bool missing = false;
  // A Boolean that marks missing fields of this column.
  std::string missing_of{};

  friend bool operator==(const CoverColumn&, const CoverColumn&) = default;

  // The column falls into cells that no rule looks inside: a category's values
  // and "other", buckets, false and true, what lies between two cuts.
  std::size_t cells() const;
  // Requires: `value` is what Encode gave for this column.
  std::size_t FindCell(double value) const;
};

// Returns true if a model may hold the text: JSON is UTF-8.
bool IsUtf8(std::string_view text);

// How the fields of a table become numbers, and where rules may cut: all of it
// public, nothing learned from the rows.
//
//   auto columns = CoverColumns::FromSchema(*schema, {.cuts = 15});
//   auto reader = ExampleReader::Open({.path = path, .encoding =
//       {.schema = columns->ToSchema(), .raw_numbers = true}});
//   columns->Encode(round.x, row);
//
// Threads: immutable; calls may run at the same time.
class CoverColumns {
 public:
  struct Params {
    std::uint32_t cuts = 15;     // of a number, evenly spaced in its range
    std::uint32_t buckets = 32;  // of a category without values
  };

  // The schema's columns without its label. Fails with kInvalidArgument if a
  // number has no range, there are no columns, or a parameter is out of range:
  // 1 to 1000 cuts, 2 to 65536 buckets.
  static Result<CoverColumns> FromSchema(const Schema& schema, Params params);
  // Without a schema every column is hashed.
  static Result<CoverColumns> Hashed(std::vector<std::string> names,
                                     Params params);
  // Columns as they stand in a saved model. Fails with kInvalidArgument also
  // where a name or a value is not UTF-8: a model could not hold it.
  static Result<CoverColumns> Create(std::vector<CoverColumn> columns);

  std::size_t size() const { return columns_.size(); }
  const CoverColumn& operator[](std::size_t c) const { return columns_[c]; }
  const std::vector<CoverColumn>& columns() const { return columns_; }

  // A row that stands for one that cannot be read: no category's value, bucket
  // 0, false, below all cuts. It is the same for all data.
  std::vector<double> BlankRow() const;

  // How fields become features: numbers as they are, categories take any text.
  Schema ToSchema() const;
  // Turns features, by ToSchema, into a number for each column.
  // Requires: row.size() is size().
  void Encode(FeatureView x, std::span<double> row) const;

  friend bool operator==(const CoverColumns& a, const CoverColumns& b) {
    return a.columns_ == b.columns_;
  }

 private:
  CoverColumns() = default;

  std::vector<CoverColumn> columns_;
};

}  // namespace sotto
