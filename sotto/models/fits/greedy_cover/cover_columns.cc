#include "sotto/models/fits/greedy_cover/cover_columns.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

namespace sotto {
namespace {

using Type = CoverColumn::Type;

// FNV-1a: the bucket of a value is part of the model, so it must never change.
std::uint64_t StableHash(std::string_view text) {
  std::uint64_t hash = 14695981039346656037U;
  for (const char byte : text) {
    hash ^= static_cast<unsigned char>(byte);
    hash *= 1099511628211U;
  }
  return hash ^ (hash >> 32);
}

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
  CoverColumn out{.name = column.name};
  switch (column.type) {
    case SchemaColumn::Type::kCategory:
      out.values = column.values;
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

std::optional<double> ParseNumber(std::string_view field) {
  if (!field.empty() && field.front() == '+') field.remove_prefix(1);
  double value = 0;
  const char* const end = field.data() + field.size();
  const auto [stop, error] = std::from_chars(field.data(), end, value);
  if (error != std::errc() || stop != end || !std::isfinite(value)) {
    return std::nullopt;
  }
  return value;
}

std::optional<double> ParseBoolean(std::string_view field) {
  if (field == "1" || field == "true" || field == "True") return 1.0;
  if (field == "0" || field == "false" || field == "False") return 0.0;
  return std::nullopt;
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
    Places places;
    for (const std::string& value : column.values) {
      places.emplace(value, places.size());
    }
    if (places.size() != column.values.size()) {
      return InvalidArgument("column '" + column.name +
                             "': a value is listed twice");
    }
    result.places_.push_back(std::move(places));
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

Result<double> CoverColumns::Encode(std::size_t c,
                                    std::string_view field) const {
  const CoverColumn& column = columns_[c];
  switch (column.type) {
    case Type::kCategory: {
      const auto found = places_[c].find(field);
      const bool known = found != places_[c].end();
      return static_cast<double>(known ? found->second : column.values.size());
    }
    case Type::kHashed:
      return static_cast<double>(StableHash(field) % column.buckets);
    case Type::kBoolean:
      if (const auto value = ParseBoolean(field)) return *value;
      return InvalidArgument("expected 0, 1, true or false");
    case Type::kNumber:
      break;
  }
  if (const auto value = ParseNumber(field)) return *value;
  return InvalidArgument("expected a number");
}

}  // namespace sotto
