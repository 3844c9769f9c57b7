#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "sotto/models/fits/greedy_cover/greedy_cover.h"
#include "sotto/models/fits/private_fit.h"

namespace sotto {

// Decision lists by the greedy cover; of batches too short for one, the best
// single question.
//
// Guarantee: GreedyCover's (epsilon, delta), or StumpFit's epsilon, for rows
//            that stay in their batch; labels that come after their batch's
//            end are dropped.
// Proof:     fits.md, step 4.
// Threads:   immutable; calls may run at the same time.
class ListFit final : public PrivateFit {
 public:
  // `one_rule` is for short batches.
  ListFit(FitColumns columns, GreedyCover learner,
          std::unique_ptr<PrivateFit> one_rule);

  FitHypothesis Fit(const FitBatch& batch, Rng& rng) const override;
  Spend spend() const override;
  bool takes_late_labels() const override { return false; }
  double ExpectedError(double rows) const override;
  double RowsFor(double error, double failure) const override;
  Json parameters() const override;
  std::string Summary() const override;

 private:
  FitColumns columns_;
  GreedyCover learner_;
  std::unique_ptr<PrivateFit> one_rule_;
  double rows_for_list_;
};

const FitEntry& ListEntry();

}  // namespace sotto
