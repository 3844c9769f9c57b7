#include "sotto/models/fits/greedy_cover/cover_columns.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

namespace sotto {
namespace {

using Type = CoverColumn::Type;

Status Check(const CoverColumns::Params& params) {
  if (params.cuts < 1 || params.cuts > 1000) {
    return InvalidArgument("a number may have 1 to 1000 cuts");
  }
  if (params.buckets < 2 || params.buckets > 65536) {
    return InvalidArgument("a hashed column has 2 to 65536 buckets");
  }
  return Ok();
}

Status CheckColumn(const CoverColumn& column) {
  const auto fail = [&](const char* what) {
    return InvalidArgument("column '" + column.name + "': " + what);
  };
  if (!IsUtf8(column.name)) {
    return InvalidArgument("the name of a column is not UTF-8");
  }
  if (!std::ranges::all_of(column.values, IsUtf8)) {
    return fail("a value is not UTF-8");
  }
  if (column.type == Type::kCategory && column.values.empty()) {
    return fail("a category needs values");
  }
  if (column.type == Type::kHashed &&
      (column.buckets < 2 || column.buckets > 65536)) {
    return fail("a hashed column has 2 to 65536 buckets");
  }
  if (column.type == Type::kNumber) {
    const auto& cuts = column.cuts;
    const bool finite = std::ranges::all_of(
        cuts, [](double cut) { return std::isfinite(cut); });
    if (cuts.empty() || !finite || !std::ranges::is_sorted(cuts)) {
      return fail("a number needs finite cuts in ascending order");
    }
  }
  return Ok();
}

Result<CoverColumn> FromSchemaColumn(const SchemaColumn& column,
                                     const CoverColumns::Params& params) {
  CoverColumn out{.name = column.name,
                  .missing = column.missing,
                  .missing_of = column.missing_of};
  switch (column.type) {
    case SchemaColumn::Type::kCategory:
      // Any category takes other values.
      out.values.assign(column.listed().begin(), column.listed().end());
      if (column.missing) out.values.emplace_back(kMissingValue);
      if (out.values.empty()) {
        out.type = Type::kHashed;
        out.buckets = params.buckets;
      }
      break;
    case SchemaColumn::Type::kBoolean:
      out.type = Type::kBoolean;
      break;
    case SchemaColumn::Type::kNumber: {
      out.type = Type::kNumber;
      if (!column.range) {
        return InvalidArgument(
            "column '" + column.name +
            "': a number needs a public range in the schema");
      }
      const auto [low, high] = *column.range;
      for (std::uint32_t i = 1; i <= params.cuts; ++i) {
        out.cuts.push_back(low + (high - low) * i / (params.cuts + 1));
      }
      break;
    }
  }
  return out;
}

}  // namespace

bool IsUtf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i++]);
    if (lead < 0x80) continue;
    if (lead < 0xC2 || lead > 0xF4) return false;
    const std::size_t more = lead < 0xE0 ? 1 : lead < 0xF0 ? 2 : 3;
    // The second byte is what rules out long forms, surrogates and more than
    // 0x10FFFF.
    unsigned low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
    unsigned high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
    for (std::size_t k = 0; k < more; ++k, ++i) {
      if (i == text.size()) return false;
      const auto byte = static_cast<unsigned char>(text[i]);
      if (byte < low || byte > high) return false;
      low = 0x80;
      high = 0xBF;
    }
  }
  return true;
}

std::size_t CoverColumn::cells() const {
  switch (type) {
    case Type::kCategory:
      return values.size() + 1;
    case Type::kHashed:
      return buckets;
    case Type::kBoolean:
      return 2;
    case Type::kNumber:
      break;
  }
  return cuts.size() + 1;
}

std::size_t CoverColumn::FindCell(double value) const {
  if (type != Type::kNumber) return static_cast<std::size_t>(value);
  const auto above = std::upper_bound(cuts.begin(), cuts.end(), value);
  return static_cast<std::size_t>(above - cuts.begin());
}

Result<CoverColumns> CoverColumns::FromSchema(const Schema& schema,
                                              Params params) {
  SOTTO_TRY(Check(params));
  std::vector<CoverColumn> columns;
  for (const SchemaColumn& column : schema.columns) {
    if (schema.label && column.name == schema.label->column) continue;
    SOTTO_TRY_ASSIGN(auto converted, FromSchemaColumn(column, params));
    columns.push_back(std::move(converted));
  }
  return Create(std::move(columns));
}

Result<CoverColumns> CoverColumns::Hashed(std::vector<std::string> names,
                                          Params params) {
  SOTTO_TRY(Check(params));
  std::vector<CoverColumn> columns;
  for (std::string& name : names) {
    columns.push_back({.name = std::move(name),
                       .type = Type::kHashed,
                       .buckets = params.buckets});
  }
  return Create(std::move(columns));
}

Result<CoverColumns> CoverColumns::Create(std::vector<CoverColumn> columns) {
  if (columns.empty()) return InvalidArgument("there are no columns");
  CoverColumns result;
  for (const CoverColumn& column : columns) {
    SOTTO_TRY(CheckColumn(column));
    const std::set<std::string_view> values(column.values.begin(),
                                            column.values.end());
    if (values.size() != column.values.size()) {
      return InvalidArgument("column '" + column.name +
                             "': a value is listed twice");
    }
  }
  result.columns_ = std::move(columns);
  return result;
}

std::vector<double> CoverColumns::BlankRow() const {
  std::vector<double> row;
  for (const CoverColumn& column : columns_) {
    double value = 0;
    if (column.type == Type::kCategory) {
      value = static_cast<double>(column.values.size());
    }
    if (column.type == Type::kNumber) {
      value = std::numeric_limits<double>::lowest();
    }
    row.push_back(value);
  }
  return row;
}

Schema CoverColumns::ToSchema() const {
  Schema schema;
  for (const CoverColumn& column : columns_) {
    SchemaColumn out{.name = column.name,
                     .missing = column.missing,
                     .missing_of = column.missing_of,
                     .buckets = column.buckets};
    if (column.type == Type::kBoolean) out.type = SchemaColumn::Type::kBoolean;
    if (column.type == Type::kHashed) out.type = SchemaColumn::Type::kCategory;
    if (column.type == Type::kCategory) {
      const std::size_t listed =
          column.values.size() - (column.missing ? 1 : 0);
      out.type = SchemaColumn::Type::kCategory;
      out.values.assign(column.values.begin(),
                        column.values.begin() + static_cast<long>(listed));
      out.other = true;
      out.values.emplace_back(kOtherValue);
      if (column.missing) out.values.emplace_back(kMissingValue);
    }
    schema.columns.push_back(std::move(out));
  }
  return schema;
}

namespace {

// The place of a category's feature: the schema has "other" before "missing",
// rules have it last.
double CategoryPlace(const CoverColumn& column, std::uint32_t feature) {
  const auto last = static_cast<std::uint32_t>(column.values.size());
  if (!column.missing || feature + 1 < last) return feature;
  return feature == last ? last - 1 : last;
}

}  // namespace

void CoverColumns::Encode(FeatureView x, std::span<double> row) const {
  auto feature = x.begin();
  std::uint32_t first = 0;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    const CoverColumn& column = columns_[c];
    const auto count = static_cast<std::uint32_t>(
        column.type == Type::kCategory ? column.values.size() + 1
        : column.type == Type::kHashed ? column.buckets
                                       : 1);
    const bool listed = feature != x.end() && feature->index < first + count;
    switch (column.type) {
      case Type::kCategory:
        row[c] = listed ? CategoryPlace(column, feature->index - first)
                        : static_cast<double>(column.values.size());
        break;
      case Type::kHashed:
        row[c] = listed ? feature->index - first : 0;
        break;
      case Type::kBoolean:
        row[c] = listed && feature->value > 0 ? 1 : 0;
        break;
      case Type::kNumber:
        row[c] =
            listed ? feature->value : std::numeric_limits<double>::lowest();
        break;
    }
    first += count;
    while (feature != x.end() && feature->index < first) ++feature;
  }
}

}  // namespace sotto
