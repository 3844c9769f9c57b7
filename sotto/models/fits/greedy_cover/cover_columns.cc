#include "sotto/models/fits/greedy_cover/cover_columns.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sotto/base/utf8.h"

namespace sotto {
namespace {

using Kind = FitColumn::Kind;

// Says what is wrong with a column; empty: nothing.
std::string_view FindFault(const FitColumn& column) {
  if (!std::ranges::all_of(column.values, IsUtf8)) {
    return "a value is not UTF-8";
  }
  const std::set<std::string_view> values(column.values.begin(),
                                          column.values.end());
  if (values.size() != column.values.size()) return "a value is listed twice";
  if (column.kind == Kind::kCategory && column.values.empty()) {
    return "a category needs values";
  }
  if (column.kind == Kind::kHashed &&
      (column.points < 2 || column.points > 65536)) {
    return "a hashed column has 2 to 65536 buckets";
  }
  const auto& cuts = column.cuts;
  const bool finite =
      std::ranges::all_of(cuts, [](double cut) { return std::isfinite(cut); });
  if (column.kind == Kind::kCuts &&
      (cuts.empty() || !finite || !std::ranges::is_sorted(cuts))) {
    return "a number needs finite cuts in ascending order";
  }
  return {};
}

Result<FitColumn> MakeColumn(const SchemaColumn& about,
                             const CoverColumnParams& params) {
  FitColumn column{.name = about.name,
                   .missing = about.missing,
                   .missing_of = about.missing_of};
  if (about.type == SchemaColumn::Type::kBoolean) {
    column.kind = Kind::kBoolean;
  } else if (about.type == SchemaColumn::Type::kCategory) {
    column.kind = Kind::kCategory;
    column.values.assign(about.listed().begin(), about.listed().end());
    if (about.missing) column.values.emplace_back(kMissingValue);
    column.other_unnamed = true;
    if (column.values.empty()) {
      column.kind = Kind::kHashed;
      column.points = params.buckets;
    }
  } else if (!about.range) {
    return InvalidArgument("column '" + about.name +
                           "': a number needs a public range in the schema");
  } else {
    column.kind = Kind::kCuts;
    const auto [low, high] = *about.range;
    for (std::uint32_t i = 1; i <= params.cuts; ++i) {
      column.cuts.push_back(low + (high - low) * i / (params.cuts + 1));
    }
  }
  return column;
}

}  // namespace

Schema CoverSchema(const Schema& schema, const CoverColumnParams& params) {
  Schema read = schema;
  read.columns.clear();
  for (SchemaColumn column : schema.columns) {
    if (schema.label && column.name == schema.label->column) continue;
    const bool listed = !column.listed().empty() || column.missing;
    if (column.type == SchemaColumn::Type::kCategory && !listed) {
      column.values.clear();
      column.other = false;
      column.buckets = params.buckets;
    } else if (column.type == SchemaColumn::Type::kCategory && !column.other) {
      column.other = true;
      column.values.emplace(column.values.end() - (column.missing ? 1 : 0),
                            kOtherValue);
    }
    read.columns.push_back(std::move(column));
  }
  return read;
}

Result<FitColumns> MakeCoverColumns(const Schema& schema,
                                    const CoverColumnParams& params) {
  std::vector<FitColumn> columns;
  for (const SchemaColumn& about : CoverSchema(schema, params).columns) {
    SOTTO_TRY_ASSIGN(auto column, MakeColumn(about, params));
    columns.push_back(std::move(column));
  }
  return CheckCoverColumns(std::move(columns));
}

Result<FitColumns> CheckCoverColumns(std::vector<FitColumn> columns) {
  if (columns.empty()) return InvalidArgument("there are no columns");
  std::uint32_t next = 0;
  for (FitColumn& column : columns) {
    if (!IsUtf8(column.name)) {
      return InvalidArgument("the name of a column is not UTF-8");
    }
    if (const std::string_view fault = FindFault(column); !fault.empty()) {
      return InvalidArgument("column '" + column.name +
                             "': " + std::string(fault));
    }
    column.feature = next;
    next += column.features();
  }
  return FitColumns(std::move(columns));
}

}  // namespace sotto
