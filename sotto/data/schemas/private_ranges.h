#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "sotto/accounting/guarantee.h"
#include "sotto/base/result.h"
#include "sotto/mechanisms/selection/sparse_histogram.h"
#include "sotto/random/rng.h"

namespace sotto {

// Finds privately where the numbers of each column lie: for the ranges of a
// schema that are not publicly known.
//
//   auto ranges = PrivateRanges::Create(
//       {.epsilon = 0.1, .delta = 1e-7, .columns = 3});
//   if (!ranges) return ranges.error();
//   ranges->Add(row);                     // a value or nothing, each column
//   for (const auto& range : ranges->Release(rng)) ...
//
// A range spans the cells that hold clearly more than a few rows; a cell is
// about a fifth wide. Values beyond it are few, and models clamp them.
//
// Guarantee: (epsilon, delta)-DP for one user with at most rows_per_user rows.
// Proof:     private_ranges.md.
// Threads:   not thread-safe.
class PrivateRanges {
 public:
  struct Params {
    double epsilon = 0;  // for a user with all rows, and all columns
    double delta = 0;
    std::size_t columns = 0;
    std::uint64_t rows_per_user = 1;
  };
  using Range = std::pair<double, double>;

  // Fails with kInvalidArgument without columns, and as PerRoundTarget and
  // SparseHistogram do for a column's share of the budget.
  static Result<PrivateRanges> Create(const Params& params);

  // Adds one row: a number or nothing for each column. NaN is nothing.
  // Requires as many entries as there are columns, and at most rows_per_user
  // rows of each user.
  void Add(std::span<const std::optional<double>> row);
  // Returns nothing for a column without a cell that shows. Each call spends
  // the guarantee: call it once.
  std::vector<std::optional<Range>> Release(Rng& rng) const;

  const Guarantee& guarantee() const { return guarantee_; }

  // The cell of a number: sign, then its magnitude in quarters of an octave
  // between 2^-20 and 2^60; everything nearer to 0 is one cell, and everything
  // farther away belongs to the outermost ones. Cells are in order.
  static std::uint64_t FindCell(double value);
  static constexpr std::uint64_t kCells = 2 * (4 * 80) + 1;
  static Range CellRange(std::uint64_t cell);

 private:
  PrivateRanges(SparseHistogram histogram, Guarantee guarantee,
                std::size_t columns)
      : histogram_(std::move(histogram)),
        guarantee_(std::move(guarantee)),
        counts_(columns, std::vector<std::int64_t>(kCells)) {}

  SparseHistogram histogram_;
  Guarantee guarantee_;
  std::vector<std::vector<std::int64_t>> counts_;  // of columns and cells
};

}  // namespace sotto
