#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sotto/models/fits/private_fit.h"
#include "sotto/models/fits/split_scan.h"
#include "sotto/random/loss_weights.h"

namespace sotto {

// A decision tree of a fixed depth, grown from the root: on each level a split
// of every node is drawn, then a label for every leaf.
//
// Guarantee: epsilon-DP, delta = 0.
// Proof:     fits.md, step 2.
// Threads:   immutable; calls may run at the same time.
class TreeFit final : public PrivateFit {
 public:
  static constexpr std::uint32_t kMaxDepth = 4;

  // `depth` 0: as many levels, up to kMaxDepth, as the public number of places
  // can pay for; 3 where that is not public. Fails with kInvalidArgument as
  // RowRate does, and unless the depth is in [0, kMaxDepth].
  static Result<std::unique_ptr<PrivateFit>> Create(const FitColumns& columns,
                                                    std::uint32_t depth,
                                                    const FitBudget& budget);

  FitHypothesis Fit(const FitBatch& batch, Rng& rng) const override;
  Spend spend() const override;
  double ExpectedError(double rows) const override;
  double RowsFor(double error, double failure) const override;
  // A question that pays only together with the next may not be found.
  bool proves_rows() const override { return false; }
  Json parameters() const override;
  std::string Summary() const override;
  // Cost of a removed row on each level and in a leaf, in nats, for a tree of
  // that depth.
  std::vector<Rational> RatesAt(std::uint32_t depth) const;

 private:
  // Parameters of trees of one depth.
  struct Plan {
    Rational rate;  // of a level
    SplitWeights splits;
  };

  TreeFit(FitColumns columns, std::uint32_t depth, const FitBudget& budget,
          std::vector<Plan> plans, const Rational& leaf_rate,
          LossWeights leaves)
      : columns_(std::move(columns)),
        depth_(depth),
        budget_(budget),
        plans_(std::move(plans)),
        leaf_rate_(leaf_rate),
        leaves_(std::move(leaves)) {}
  std::uint32_t DepthFor(double places) const;

  FitColumns columns_;
  std::uint32_t depth_;
  FitBudget budget_;
  std::vector<Plan> plans_;  // by depth, from 1 on
  Rational leaf_rate_;
  LossWeights leaves_;
};

const FitEntry& TreeEntry();

}  // namespace sotto
