#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sotto/base/int128.h"
#include "sotto/models/fits/private_fit.h"
#include "sotto/random/loss_weights.h"

namespace sotto {

// The best interval of one number, by the exponential mechanism over all pairs
// of its cells, inside 1 or inside 0, and the two constants; exactly.
//
// Guarantee: epsilon-DP, delta = 0.
// Proof:     fits.md, step 1.
// Fails as RowRate does.
Result<std::unique_ptr<PrivateFit>> MakeIntervalFit(const FitColumns& columns,
                                                    const FitBudget& budget);

// All intervals of a batch, weighed, for drawing one of them.
//
//   IntervalScan scan(batch, weights);
//   auto interval = scan.At(WideUniformBelow(scan.total(), rng));
//
// Threads: immutable; calls may run at the same time.
class IntervalScan {
 public:
  // Ends lie at multiples of 2^8 cells of a number, so at 2^24 places.
  static constexpr int kCoarse = 8;
  // Codes from `low` on and below `high` have the label, others the other one.
  // low == high: all have the other one.
  struct Interval {
    std::uint32_t low = 0;
    std::uint32_t high = 0;
    bool inside = false;
    friend bool operator==(const Interval&, const Interval&) = default;
  };

  // `weights` must outlive this, of at most kBits bits.
  static constexpr int kBits = 76;
  IntervalScan(const FitBatch& batch, const LossWeights& weights);

  Uint128 total() const { return total_; }  // below 2^127
  // Requires: target < total().
  Interval At(Uint128 target) const;

 private:
  // Between two rows.
  struct Gap {
    std::uint64_t first = 0;  // place of an end
    std::uint64_t places = 0;
    std::int64_t balance = 0;  // positive rows below it, less the negative ones
  };
  void FindGaps(const FitBatch& batch);
  void FindLeast();
  void SumUp();
  std::uint64_t ComputeLoss(std::int64_t balance, bool inside) const;
  Interval Inside(const Gap& low, const Gap& high, Uint128 index,
                  bool inside) const;

  const LossWeights& weights_;
  std::uint64_t rows_[2] = {0, 0};  // by label
  std::vector<Gap> gaps_;
  std::uint64_t least_ = 0;
  std::vector<Uint128> sums_;  // by the upper gap
  Uint128 total_ = 0;
};

const FitEntry& IntervalEntry();

}  // namespace sotto
