#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sotto/base/feature_view.h"
#include "sotto/base/result.h"
#include "sotto/data/streams/schema.h"
#include "sotto/online/model_entry.h"

namespace sotto {

// One column as private fits look at it: a number falls into one of 2^32 cells
// of its public range, everything else has a code for each value.
struct FitColumn {
  enum class Kind : std::uint8_t {
    kNumber,    // code: the cell, 2^32 of them
    kBoolean,   // code: 0 or 1
    kCategory,  // code: the value's place; one past the last: none of them
    kPoint,     // code: an integer below `points`; `points`: none of them
    kHashed,    // code: the bucket, below `points`
    kCuts,      // code: how many of the `cuts` a number reaches
  };
  std::string name = {};
  Kind kind = Kind::kNumber;
  std::uint32_t feature = 0;  // the first one of the column
  // Range of a number. If `scaled`, features are already scaled to [0, 1].
  double low = 0;
  double high = 1;
  bool scaled = false;
  std::vector<std::string> values = {};  // of a category, or false and true
  std::uint32_t points = 0;
  std::vector<double> cuts = {};  // ascending
  // As in SchemaColumn.
  bool missing = false;
  bool other = false;
  std::string missing_of = {};
  // A category's other values are none of its `values`: no question names them.
  bool other_unnamed = false;

  // Number of values a question can name: 0 for a number.
  std::uint32_t choices() const;
  // Number of features it takes in a row.
  std::uint32_t features() const;
  // The number at which a cell begins.
  double NumberAt(std::uint32_t cell) const;
  friend bool operator==(const FitColumn&, const FitColumn&) = default;
};

// How features become codes: a function of what is public alone.
//
//   auto columns = FitColumns::Of(inputs, {0, 1});
//   std::vector<std::uint32_t> row(columns->size());
//   columns->Encode(x, row);
//
// Threads: immutable; calls may run at the same time.
class FitColumns {
 public:
  // A row takes four bytes a column while it waits.
  static constexpr std::size_t kMaxColumns = 4096;
  using Range = std::pair<double, double>;

  // All columns of the inputs; numbers without a schema have this range. Fails
  // with kInvalidArgument where there are none or too many, or a number of a
  // schema has no range.
  static Result<FitColumns> Of(const InputSpec& inputs, const Range& range);
  explicit FitColumns(std::vector<FitColumn> columns)
      : columns_(std::move(columns)) {}

  std::size_t size() const { return columns_.size(); }
  const FitColumn& operator[](std::size_t c) const { return columns_[c]; }
  const std::vector<FitColumn>& all() const { return columns_; }
  std::optional<std::size_t> Find(std::string_view name) const;

  // Numbers outside their range are moved to the nearer end. A column without
  // a feature is false, none of its values, in bucket 0 and below all cuts.
  // Requires: one place a column.
  void Encode(FeatureView x, std::span<std::uint32_t> codes) const;
  // Returns true if Encode can give these codes.
  bool CanBe(std::span<const std::uint32_t> codes) const;

  friend bool operator==(const FitColumns&, const FitColumns&) = default;

 private:
  std::vector<FitColumn> columns_;
};

// Names of the two labels, and their column.
struct FitLabels {
  std::string column = "y";
  std::string negative = "0";
  std::string positive = "1";

  const std::string& Name(bool label) const {
    return label ? positive : negative;
  }
};

// The columns as a schema, so that fields are read as they were when a model
// was made.
Schema MakeSchema(const FitColumns& columns);

// "0,1" as a range. Fails with kInvalidArgument unless low < high, both finite.
Result<FitColumns::Range> ParseFitRange(std::string_view text);

}  // namespace sotto
