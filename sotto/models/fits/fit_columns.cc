#include "sotto/models/fits/fit_columns.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace sotto {
namespace {

constexpr double kCells = 0x1p32;

std::uint32_t FindCell(const FitColumn& column, double value) {
  const double share =
      column.scaled ? value : (value - column.low) / (column.high - column.low);
  // The comparison is false for what is not a number, too.
  if (!(share > 0)) return 0;
  return static_cast<std::uint32_t>(std::min(share * kCells, kCells - 1));
}

// The place of the column's feature in the row, if it has one.
std::optional<std::uint32_t> FindPlace(const FitColumn& column, FeatureView x) {
  const std::uint32_t end = column.feature + column.features();
  auto place = std::ranges::lower_bound(x, column.feature, {}, &Feature::index);
  for (; place != x.end() && place->index < end; ++place) {
    if (place->value != 0) return place->index - column.feature;
  }
  return std::nullopt;
}

std::uint32_t FindValue(const FitColumn& column, FeatureView x) {
  const auto none = static_cast<std::uint32_t>(column.values.size());
  const std::uint32_t place = FindPlace(column, x).value_or(none);
  if (!column.other_unnamed) return place;
  // The schema has "other" before "missing", the last of the values.
  const std::uint32_t other = none - (column.missing ? 1 : 0);
  if (place == other) return none;
  return place > other ? other : place;
}

std::uint32_t CountCuts(const FitColumn& column, FeatureView x) {
  const auto place =
      std::ranges::lower_bound(x, column.feature, {}, &Feature::index);
  if (place == x.end() || place->index != column.feature) return 0;
  return static_cast<std::uint32_t>(
      std::ranges::upper_bound(column.cuts, place->value) -
      column.cuts.begin());
}

std::uint32_t FindPoint(const FitColumn& column, double value) {
  const bool whole =
      value >= 0 && value < column.points && value == std::floor(value);
  return whole ? static_cast<std::uint32_t>(value) : column.points;
}

Result<FitColumns> OfSchema(const Schema& schema) {
  std::vector<FitColumn> columns;
  std::uint32_t next = 0;
  for (const SchemaColumn& about : schema.columns) {
    FitColumn column{.name = about.name,
                     .feature = next,
                     .missing = about.missing,
                     .other = about.other,
                     .missing_of = about.missing_of};
    if (about.type == SchemaColumn::Type::kCategory) {
      column.kind = FitColumn::Kind::kCategory;
      column.values = about.values;
    } else if (about.type == SchemaColumn::Type::kBoolean) {
      column.kind = FitColumn::Kind::kBoolean;
      column.values = {"false", "true"};
    } else if (!about.range) {
      return InvalidArgument("column " + about.name +
                             " needs a range in the schema");
    } else {
      column.low = about.range->first;
      column.high = about.range->second;
      column.scaled = true;
    }
    next += about.features();
    columns.push_back(std::move(column));
  }
  return FitColumns(std::move(columns));
}

}  // namespace

std::uint32_t FitColumn::choices() const {
  if (kind == Kind::kPoint || kind == Kind::kHashed) return points;
  return static_cast<std::uint32_t>(values.size());
}

std::uint32_t FitColumn::features() const {
  if (kind == Kind::kHashed) return points;
  if (kind != Kind::kCategory) return 1;
  return static_cast<std::uint32_t>(values.size()) + (other_unnamed ? 1 : 0);
}

double FitColumn::NumberAt(std::uint32_t cell) const {
  return low + (high - low) * (cell / kCells);
}

Result<FitColumns> FitColumns::Of(const InputSpec& inputs, const Range& range) {
  const std::size_t count =
      inputs.schema ? inputs.schema->columns.size() : inputs.features;
  if (count == 0) {
    return InvalidArgument("there are no columns to look at");
  }
  if (count > kMaxColumns) {
    return InvalidArgument(
        "there are " + std::to_string(count) +
        " columns; a private fit takes at most 4096: say how "
        "many there are with --features");
  }
  if (inputs.schema) return OfSchema(*inputs.schema);
  std::vector<FitColumn> columns;
  for (std::uint32_t c = 0; c < inputs.features; ++c) {
    std::string name = std::to_string(c + 1);
    name.insert(name.begin(), 'c');
    if (c < inputs.names.size()) name = inputs.names[c];
    columns.push_back({.name = std::move(name),
                       .feature = c,
                       .low = range.first,
                       .high = range.second});
  }
  return FitColumns(std::move(columns));
}

std::optional<std::size_t> FitColumns::Find(std::string_view name) const {
  const auto place = std::ranges::find(columns_, name, &FitColumn::name);
  if (place == columns_.end()) return std::nullopt;
  return static_cast<std::size_t>(place - columns_.begin());
}

void FitColumns::Encode(FeatureView x, std::span<std::uint32_t> codes) const {
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    const FitColumn& column = columns_[c];
    switch (column.kind) {
      case FitColumn::Kind::kNumber:
        codes[c] = FindCell(column, ValueAt(x, column.feature));
        break;
      case FitColumn::Kind::kBoolean:
        codes[c] = ValueAt(x, column.feature) > 0 ? 1 : 0;
        break;
      case FitColumn::Kind::kCategory:
        codes[c] = FindValue(column, x);
        break;
      case FitColumn::Kind::kPoint:
        codes[c] = FindPoint(column, ValueAt(x, column.feature));
        break;
      case FitColumn::Kind::kHashed:
        codes[c] = FindPlace(column, x).value_or(0);
        break;
      case FitColumn::Kind::kCuts:
        codes[c] = CountCuts(column, x);
        break;
    }
  }
}

bool FitColumns::CanBe(std::span<const std::uint32_t> codes) const {
  if (codes.size() != columns_.size()) return false;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    const FitColumn& column = columns_[c];
    const std::uint32_t most =
        column.kind == FitColumn::Kind::kBoolean ? 1 : column.choices();
    if (column.kind != FitColumn::Kind::kNumber && codes[c] > most) {
      return false;
    }
  }
  return true;
}

Schema MakeSchema(const FitColumns& columns) {
  Schema schema;
  for (const FitColumn& column : columns.all()) {
    SchemaColumn about{.name = column.name,
                       .missing = column.missing,
                       .other = column.other,
                       .missing_of = column.missing_of};
    if (column.kind == FitColumn::Kind::kCategory) {
      about.type = SchemaColumn::Type::kCategory;
      about.values = column.values;
      if (column.other_unnamed) {
        about.other = true;
        about.values.emplace(about.values.end() - (column.missing ? 1 : 0),
                             kOtherValue);
      }
    } else if (column.kind == FitColumn::Kind::kHashed) {
      about.type = SchemaColumn::Type::kCategory;
      about.buckets = column.points;
    } else if (column.kind == FitColumn::Kind::kBoolean) {
      about.type = SchemaColumn::Type::kBoolean;
    } else if (column.kind == FitColumn::Kind::kNumber) {
      about.range = {column.low, column.high};
    }
    schema.columns.push_back(std::move(about));
  }
  return schema;
}

Result<FitColumns::Range> ParseFitRange(std::string_view text) {
  const std::size_t comma = text.find(',');
  FitColumns::Range range;
  const auto read = [](std::string_view part, double& number) {
    const char* end = part.data() + part.size();
    const auto parsed = std::from_chars(part.data(), end, number);
    return parsed.ec == std::errc() && parsed.ptr == end &&
           std::isfinite(number);
  };
  if (comma == std::string_view::npos ||
      !read(text.substr(0, comma), range.first) ||
      !read(text.substr(comma + 1), range.second) ||
      !(range.first < range.second)) {
    return InvalidArgument("--range: expected LOW,HIGH as in 0,100");
  }
  return range;
}

}  // namespace sotto
