#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sotto/models/fits/private_fit.h"
#include "sotto/random/loss_weights.h"

namespace sotto {

// Several fits on one part of a batch, and the best of them by the rest of it.
// A row's part is held out or not by its round number.
//
// Guarantee: the budget's. The fits share it; the choice has the whole of it,
//            as no row is in both parts.
// Proof:     fits.md, step 5.
// Threads:   immutable; calls may run at the same time.
class AutoFit final : public PrivateFit {
 public:
  using Candidates = std::vector<std::unique_ptr<PrivateFit>>;

  // The candidates together cost at most the budget. Fails as RowRate does.
  static Result<std::unique_ptr<PrivateFit>> Create(Candidates candidates,
                                                    const FitBudget& budget);

  FitHypothesis Fit(const FitBatch& batch, Rng& rng) const override;
  Spend spend() const override;
  bool takes_late_labels() const override;
  double ExpectedError(double rows) const override;
  double RowsFor(double error, double failure) const override;
  bool proves_rows() const override { return false; }
  Json parameters() const override;
  std::string Summary() const override;

 private:
  AutoFit(Candidates candidates, const FitBudget& budget, const Rational& rate,
          LossWeights weights)
      : candidates_(std::move(candidates)),
        budget_(budget),
        rate_(rate),
        weights_(std::move(weights)) {}

  Candidates candidates_;
  FitBudget budget_;
  Rational rate_;
  LossWeights weights_;
};

// For streams only: a table has no rounds.
const FitEntry& AutoEntry();

}  // namespace sotto
