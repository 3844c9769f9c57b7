#include "sotto/data/schemas/private_ranges.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>

#include "sotto/accounting/group_privacy.h"
#include "sotto/accounting/spend.h"

namespace sotto {
namespace {

constexpr int kLeastExponent = -20;
constexpr int kOctaves = 80;
constexpr int kQuarters = 4;
constexpr std::uint64_t kMiddle = kOctaves * kQuarters;
// 2^(i/4): where the quarters of an octave begin.
constexpr std::array<double, kQuarters> kSteps = {
    1, 1.189207115002721, 1.4142135623730951, 1.681792830507429};

// The quarter of an octave of a magnitude of at least 2^-20, from 0.
std::uint64_t FindQuarter(double magnitude) {
  int exponent = 0;
  const double mantissa = 2 * std::frexp(magnitude, &exponent);  // in [1, 2)
  const int octave = exponent - 1 - kLeastExponent;
  if (octave >= kOctaves) return kMiddle - 1;
  const auto step = std::upper_bound(kSteps.begin(), kSteps.end(), mantissa);
  return static_cast<std::uint64_t>(octave * kQuarters +
                                    (step - kSteps.begin()) - 1);
}

// A row is in one cell of every column.
Spend ColumnCosts(const PrivateRanges::Params& params, const Guarantee& one) {
  std::vector<Spend> columns;
  for (std::size_t c = 1; c <= params.columns; ++c) {
    Spend column = ForSteps(one.spend(), params.rows_per_user);
    column.name = "column " + std::to_string(c);
    columns.push_back(std::move(column));
  }
  return AddParts("ranges", std::move(columns));
}

// Where a quarter begins.
double FindBegin(std::uint64_t quarter) {
  return std::ldexp(kSteps[quarter % kQuarters],
                    static_cast<int>(quarter / kQuarters) + kLeastExponent);
}

}  // namespace

Result<PrivateRanges> PrivateRanges::Create(const Params& params) {
  if (params.columns == 0) {
    return InvalidArgument("private ranges need a column of numbers");
  }
  const auto columns = static_cast<double>(params.columns);
  // Shares that add up to no more than the whole: of columns, then of rows.
  SOTTO_TRY_ASSIGN(const auto row,
                   PerRoundTarget({std::nextafter(params.epsilon / columns, 0),
                                   std::nextafter(params.delta / columns, 0)},
                                  params.rows_per_user));
  SOTTO_TRY_ASSIGN(
      auto histogram,
      SparseHistogram::Create({.epsilon = row.epsilon, .delta = row.delta}));
  SOTTO_TRY_ASSIGN(
      auto guarantee,
      MakeGuarantee(
          {.rounds_per_user = params.rows_per_user,
           .protects = params.rows_per_user == 1 ? "a row of the table"
                                                 : "rows of the table",
           .spend = ColumnCosts(params, histogram.guarantee())},
          {params.epsilon, params.delta}));
  return PrivateRanges(std::move(histogram), std::move(guarantee),
                       params.columns);
}

std::uint64_t PrivateRanges::FindCell(double value) {
  const double magnitude = std::fabs(value);
  if (!(magnitude >= std::ldexp(1.0, kLeastExponent))) return kMiddle;
  const std::uint64_t quarter =
      std::isinf(magnitude) ? kMiddle - 1 : FindQuarter(magnitude);
  return value > 0 ? kMiddle + 1 + quarter : kMiddle - 1 - quarter;
}

PrivateRanges::Range PrivateRanges::CellRange(std::uint64_t cell) {
  if (cell == kMiddle) return {0, 0};
  if (cell > kMiddle) {
    const std::uint64_t quarter = cell - kMiddle - 1;
    return {FindBegin(quarter), FindBegin(quarter + 1)};
  }
  const Range mirrored = CellRange(2 * kMiddle - cell);
  return {-mirrored.second, -mirrored.first};
}

void PrivateRanges::Add(std::span<const std::optional<double>> row) {
  assert(row.size() == counts_.size());
  for (std::size_t c = 0; c < counts_.size(); ++c) {
    if (!row[c] || std::isnan(*row[c])) continue;
    ++counts_[c][FindCell(*row[c])];
  }
}

std::vector<std::optional<PrivateRanges::Range>> PrivateRanges::Release(
    Rng& rng) const {
  std::vector<std::optional<Range>> ranges;
  for (const std::vector<std::int64_t>& counts : counts_) {
    std::vector<SparseHistogram::Bin> bins;
    for (std::uint64_t cell = 0; cell < kCells; ++cell) {
      bins.push_back({cell, counts[cell]});
    }
    const auto shown = histogram_.ReleaseCounts(std::move(bins), rng);
    if (shown.empty()) {
      ranges.emplace_back();
      continue;
    }
    Range range{CellRange(shown.front().item).first,
                CellRange(shown.back().item).second};
    if (range.first == range.second) range = {-1, 1};
    ranges.emplace_back(range);
  }
  return ranges;
}

}  // namespace sotto
