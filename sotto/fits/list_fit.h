#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "sotto/fits/private_fit.h"
#include "sotto/models/greedy_cover/greedy_cover.h"

namespace sotto {

// Decision lists by the greedy cover.
//
// Guarantee: GreedyCover's (epsilon, delta) for rows that stay in their batch;
//            labels that come after their batch's end are dropped.
// Proof:     fits.md, step 4.
// Threads:   immutable; calls may run at the same time.
class ListFit final : public PrivateFit {
 public:
  ListFit(FitColumns columns, GreedyCover learner)
      : columns_(std::move(columns)), learner_(std::move(learner)) {}

  FitHypothesis Fit(const FitBatch& batch, Rng& rng) const override;
  double epsilon() const override { return learner_.guarantee().epsilon(); }
  double delta() const override { return learner_.guarantee().delta(); }
  bool takes_late_labels() const override { return false; }
  double ExpectedError(double rows) const override;
  std::uint64_t UsualFirstEpoch() const override;
  double RowsFor(double error, double failure) const override;
  Json parameters() const override;
  std::string InWords() const override;

 private:
  FitColumns columns_;
  GreedyCover learner_;
};

const FitRow& ListRow();

}  // namespace sotto
