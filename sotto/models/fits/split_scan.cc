#include "sotto/models/fits/split_scan.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "sotto/models/fits/radix_sort.h"

namespace sotto {
namespace {

// A place in one word: code, group, label.
constexpr int kCodeShift = 8;
constexpr int kGroupShift = 2;

// Sums stay below 2^127 (split_scan.md, Integers).
constexpr int kSumBits = 126;
constexpr int kCellBits = 32;

std::uint64_t Gini(std::uint64_t a, std::uint64_t b) {
  const std::uint64_t rows = a + b;
  if (rows == 0) return 0;
  return Low64(Uint128{a} * b * SplitWeights::kGiniUnit / rows);
}

using Counts = std::array<std::uint64_t, 2>;

// Loss of a split whose "yes" gets these of all rows.
std::uint64_t ComputeLoss(SplitLoss loss, const Counts& yes, const Counts& all,
                          bool label) {
  const Counts no = {all[0] - yes[0], all[1] - yes[1]};
  if (loss == SplitLoss::kErrors) {
    return label ? yes[0] + no[1] : yes[1] + no[0];
  }
  return Gini(yes[0], yes[1]) + Gini(no[0], no[1]);
}

// Number of labels of "yes" that are distinct candidates.
std::size_t GetLabels(SplitLoss loss) {
  return loss == SplitLoss::kErrors ? 2 : 1;
}

}  // namespace

Result<SplitWeights> SplitWeights::Create(const FitColumns& columns,
                                          SplitLoss loss,
                                          const Rational& rate) {
  std::uint64_t units = loss == SplitLoss::kErrors ? 2 : 0;
  for (const FitColumn& column : columns.all()) {
    units += GetLabels(loss) * std::max<std::uint64_t>(1, column.choices());
  }
  const int bits =
      std::min(LossWeights::kMaxBits,
               kSumBits - kCellBits - static_cast<int>(std::bit_width(units)));
  auto each = Rational::Create(rate.numerator(), rate.denominator());
  if (unit(loss) > 1) {
    each = RationalBelow(rate.ToDoubleDown() / static_cast<double>(unit(loss)));
  }
  if (!each) return each.error();
  SOTTO_TRY_ASSIGN(auto weights, LossWeights::Create(*each, bits));
  return SplitWeights(loss, units, *each, std::move(weights));
}

SplitScan::SplitScan(const FitColumns& columns, const FitBatch& batch,
                     std::span<const std::uint8_t> groups,
                     std::size_t group_count, const SplitWeights& weights)
    : columns_(columns),
      weights_(weights),
      group_count_(group_count),
      all_(group_count, Counts{}),
      sorted_(columns.size()),
      counted_(columns.size()),
      least_(group_count, std::numeric_limits<std::uint64_t>::max()),
      sums_(columns.size() + 1, std::vector<Uint128>(group_count, 0)),
      totals_(group_count, 0) {
  for (std::size_t i = 0; i < batch.size(); ++i) {
    const std::size_t group = groups.empty() ? 0 : groups[i];
    const std::uint8_t label = batch.label(i);
    all_[group][label & 1] += static_cast<std::uint64_t>(label < 2);
  }
  Sort(batch, groups);
  CountValues(batch, groups);
  FindLeast();
  SumUp();
}

void SplitScan::Sort(const FitBatch& batch,
                     std::span<const std::uint8_t> groups) {
  std::vector<std::uint64_t> scratch;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    if (columns_[c].kind != FitColumn::Kind::kNumber) continue;
    std::vector<std::uint64_t>& places = sorted_[c];
    places.reserve(batch.size());
    for (std::size_t i = 0; i < batch.size(); ++i) {
      const std::uint64_t group = groups.empty() ? 0 : groups[i];
      places.push_back(std::uint64_t{batch.code(i, c)} << kCodeShift |
                       group << kGroupShift | batch.label(i));
    }
    RadixSort32(places, kCodeShift, scratch);
  }
}

void SplitScan::CountValues(const FitBatch& batch,
                            std::span<const std::uint8_t> groups) {
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    if (columns_[c].kind == FitColumn::Kind::kNumber) continue;
    const std::size_t codes = columns_[c].choices() + 1;
    counted_[c].assign(group_count_ * codes, Counts{});
    for (std::size_t i = 0; i < batch.size(); ++i) {
      const std::size_t group = groups.empty() ? 0 : groups[i];
      const std::uint8_t label = batch.label(i);
      counted_[c][group * codes + batch.code(i, c)][label & 1] +=
          static_cast<std::uint64_t>(label < 2);
    }
  }
}

// Calls visit(group, first code, number of cells, rows that say yes) for every
// run of splits that lose the same. Some have no cells.
template <typename Visit>
void SplitScan::ForEachRun(std::size_t column, const Visit& visit) const {
  if (columns_[column].kind != FitColumn::Kind::kNumber) {
    const std::uint32_t choices = columns_[column].choices();
    for (std::size_t group = 0; group < group_count_; ++group) {
      for (std::uint32_t v = 0; v < choices; ++v) {
        visit(group, std::uint64_t{v}, SplitWeights::kCells,
              counted_[column][group * (choices + 1) + v]);
      }
    }
    return;
  }
  std::array<std::uint64_t, kMaxGroups> begin{};
  std::vector<Counts> yes = all_;
  for (const std::uint64_t place : sorted_[column]) {
    const std::size_t group = (place >> kGroupShift) & (kMaxGroups - 1);
    const std::uint64_t label = place & 3;
    const std::uint64_t end = (place >> kCodeShift) + 1;
    visit(group, begin[group], end - begin[group], yes[group]);
    begin[group] = end;
    yes[group][label & 1] -= static_cast<std::uint64_t>(label < 2);
  }
  for (std::size_t group = 0; group < group_count_; ++group) {
    visit(group, begin[group], SplitWeights::kCells - begin[group], yes[group]);
  }
}

template <typename Visit>
void SplitScan::ForEachConstant(const Visit& visit) const {
  if (weights_.loss() != SplitLoss::kErrors) return;
  for (std::size_t group = 0; group < group_count_; ++group) {
    visit(group, std::uint64_t{0}, SplitWeights::kCells, all_[group]);
  }
}

void SplitScan::FindLeast() {
  const SplitLoss loss = weights_.loss();
  const auto take = [&](std::size_t group, std::uint64_t, std::uint64_t cells,
                        const Counts& yes) {
    for (std::size_t label = 0; label < GetLabels(loss); ++label) {
      const std::uint64_t lost =
          ComputeLoss(loss, yes, all_[group], label != 0);
      // A run without cells is not a candidate.
      const std::uint64_t empty = -static_cast<std::uint64_t>(cells == 0);
      least_[group] = std::min(least_[group], lost | empty);
    }
  };
  for (std::size_t c = 0; c < columns_.size(); ++c) ForEachRun(c, take);
  ForEachConstant(take);
}

void SplitScan::SumUp() {
  const SplitLoss loss = weights_.loss();
  const LossWeights& weights = weights_.weights();
  const auto sum_into = [&](std::vector<Uint128>& sums) {
    return [&, loss](std::size_t group, std::uint64_t, std::uint64_t cells,
                     const Counts& yes) {
      for (std::size_t label = 0; label < GetLabels(loss); ++label) {
        const std::uint64_t lost =
            ComputeLoss(loss, yes, all_[group], label != 0);
        sums[group] += weights(lost - least_[group]) * cells;
      }
    };
  };
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    ForEachRun(c, sum_into(sums_[c]));
  }
  ForEachConstant(sum_into(sums_.back()));
  for (const auto& sums : sums_) {
    for (std::size_t g = 0; g < group_count_; ++g) totals_[g] += sums[g];
  }
}

Split SplitScan::At(std::size_t group, Uint128 target) const {
  std::size_t column = 0;
  while (column < columns_.size() && target >= sums_[column][group]) {
    target -= sums_[column][group];
    ++column;
  }
  const bool constant = column == columns_.size();
  Split split{.column = constant ? 0 : static_cast<std::uint32_t>(column)};
  if (!constant) {
    split.kind = columns_[column].kind == FitColumn::Kind::kNumber
                     ? Split::Kind::kAtLeast
                     : Split::Kind::kEquals;
  }
  const LossWeights& weights = weights_.weights();
  Uint128 passed = 0;
  const auto look = [&](std::size_t of, std::uint64_t first,
                        std::uint64_t cells, const Counts& yes) {
    if (of != group) return;
    for (std::size_t label = 0; label < GetLabels(weights_.loss()); ++label) {
      const std::uint64_t lost =
          ComputeLoss(weights_.loss(), yes, all_[of], label != 0);
      const Uint128 weight = weights(lost - least_[of]);
      const Uint128 inside = target - passed;
      if (target >= passed && inside < weight * cells) {
        const bool number = split.kind == Split::Kind::kAtLeast;
        split.code = static_cast<std::uint32_t>(
            first + (number ? Low64(inside / weight) : 0));
        split.label = label != 0;
      }
      passed += weight * cells;
    }
  };
  if (constant) {
    ForEachConstant(look);
  } else {
    ForEachRun(column, look);
  }
  return split;
}

}  // namespace sotto
