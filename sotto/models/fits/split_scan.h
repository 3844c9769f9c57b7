#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sotto/base/int128.h"
#include "sotto/base/rational.h"
#include "sotto/base/result.h"
#include "sotto/models/fits/fit_batch.h"
#include "sotto/models/fits/fit_columns.h"
#include "sotto/random/loss_weights.h"

namespace sotto {

// A question about one column, or none at all.
struct Split {
  enum class Kind : std::uint8_t {
    kConstant,  // no question: always yes
    kAtLeast,   // is the code at least this one
    kEquals,    // is the code this one
  };
  Kind kind = Kind::kConstant;
  std::uint32_t column = 0;
  std::uint32_t code = 0;
  // Label of "yes"; "no" has the other. SplitLoss::kErrors only.
  bool label = false;

  bool Holds(std::span<const std::uint32_t> codes) const {
    if (kind == Kind::kConstant) return true;
    return kind == Kind::kEquals ? codes[column] == code
                                 : codes[column] >= code;
  }
  friend bool operator==(const Split&, const Split&) = default;
};

// How much a split loses on rows that go y0 + y1 to "yes" and n0 + n1 to "no",
// by label. Both fall by between 0 and unit() when a row is removed.
enum class SplitLoss : std::uint8_t {
  kErrors,  // wrong rows, for either label of "yes"; constants included
  kGini,    // y0 y1 / (y0 + y1) + n0 n1 / (n0 + n1), in 64ths, rounded down
};

// All splits of all columns, weighed by what they lose on a batch, for drawing
// one of them; for several groups of rows at once.
//
//   auto weights = SplitWeights::Create(columns, SplitLoss::kErrors, rate);
//   SplitScan scan(columns, batch, {}, 1, *weights);
//   Split split = scan.At(0, WideUniformBelow(scan.total(0), rng));
//
// A number has a split at each of its 2^32 cells. Between two rows all of them
// lose the same, so a run of cells is one entry with its length as a
// multiplicity. A column's cells of one label, a value of a category with one
// label, and a constant have the same public weight of 2^32 each.
//
// Work depends on the numbers of places, columns and groups; where in memory
// depends on data.
//
// Proof:   split_scan.md.
// Threads: immutable; calls may run at the same time.
class SplitWeights {
 public:
  // `rate`: what the removal of one row may cost, in nats, of a draw. Fails
  // with kInvalidArgument if the rate is out of range.
  static Result<SplitWeights> Create(const FitColumns& columns, SplitLoss loss,
                                     const Rational& rate);

  SplitLoss loss() const { return loss_; }
  // Loss of one row.
  static std::uint64_t unit(SplitLoss loss) {
    return loss == SplitLoss::kErrors ? 1 : kGiniUnit;
  }
  // Runs of weight 2^32 each: columns, values, constants.
  std::uint64_t units() const { return units_; }
  const LossWeights& weights() const { return weights_; }
  // Nats for one unit of loss.
  const Rational& rate() const { return rate_; }

  static constexpr std::uint64_t kGiniUnit = 64;
  static constexpr std::uint64_t kCells = std::uint64_t{1} << 32;

 private:
  SplitWeights(SplitLoss loss, std::uint64_t units, const Rational& rate,
               LossWeights weights)
      : loss_(loss), units_(units), rate_(rate), weights_(std::move(weights)) {}

  SplitLoss loss_;
  std::uint64_t units_;
  Rational rate_;
  LossWeights weights_;
};

class SplitScan {
 public:
  static constexpr std::size_t kMaxGroups = 16;

  // `groups` says for each place in which group it is; empty: all in group 0.
  // Requires: groups below `group_count`, at most kMaxGroups; `columns` and
  // `weights` outlive this.
  SplitScan(const FitColumns& columns, const FitBatch& batch,
            std::span<const std::uint8_t> groups, std::size_t group_count,
            const SplitWeights& weights);

  // The sum of all weights of a group: below 2^127.
  Uint128 total(std::size_t group) const { return totals_[group]; }
  // The split at that place in the sum. Requires: target < total(group).
  Split At(std::size_t group, Uint128 target) const;
  // The least loss of a group: secret.
  std::uint64_t least(std::size_t group) const { return least_[group]; }

 private:
  using Counts = std::array<std::uint64_t, 2>;  // rows by label
  template <typename Visit>
  void ForEachRun(std::size_t column, const Visit& visit) const;
  template <typename Visit>
  void ForEachConstant(const Visit& visit) const;
  void Sort(const FitBatch& batch, std::span<const std::uint8_t> groups);
  void CountValues(const FitBatch& batch, std::span<const std::uint8_t> groups);
  void FindLeast();
  void SumUp();

  const FitColumns& columns_;
  const SplitWeights& weights_;
  std::size_t group_count_;
  std::vector<Counts> all_;  // of each group
  // Numbers: code, group and label of each place, sorted by code.
  std::vector<std::vector<std::uint64_t>> sorted_;
  // Other columns: rows by group and code.
  std::vector<std::vector<Counts>> counted_;
  std::vector<std::uint64_t> least_;
  // By column and group; the last is of the constants.
  std::vector<std::vector<Uint128>> sums_;
  std::vector<Uint128> totals_;
};

}  // namespace sotto
