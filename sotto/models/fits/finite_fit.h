#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sotto/learners/classes/finite_class.h"
#include "sotto/models/fits/private_fit.h"
#include "sotto/random/loss_weights.h"

namespace sotto {

// The best function of a finite class on integers, by permute-and-flip,
// exactly.
//
// Guarantee: epsilon-DP, delta = 0.
// Proof:     fits.md, step 3.
// Threads:   immutable; calls may run at the same time.
class FiniteFit final : public PrivateFit {
 public:
  // Fails as RowRate does.
  static Result<std::unique_ptr<PrivateFit>> Create(
      std::shared_ptr<const FiniteClass> functions, const FitBudget& budget);

  FitHypothesis Fit(const FitBatch& batch, Rng& rng) const override;
  // Which function is drawn, by what each loses. The best always takes part.
  static std::size_t Draw(const std::vector<std::uint64_t>& losses,
                          const LossWeights& weights, Rng& rng);
  static constexpr int kBits = 63;  // of the weights that Draw takes

  Spend spend() const override;
  double ExpectedError(double rows) const override;
  double RowsFor(double error, double failure) const override;
  Json parameters() const override;
  std::string Summary() const override;

 private:
  FiniteFit(std::shared_ptr<const FiniteClass> functions,
            const FitBudget& budget, const Rational& rate, LossWeights weights)
      : functions_(std::move(functions)),
        budget_(budget),
        rate_(rate),
        weights_(std::move(weights)) {}

  std::shared_ptr<const FiniteClass> functions_;
  FitBudget budget_;
  Rational rate_;
  LossWeights weights_;
};

const FitEntry& FiniteEntry();

// A row that names no point of --class cannot be used. Fails as ReadClass does.
Status TakePoints(const Settings& settings, ReaderParams& request);

}  // namespace sotto
