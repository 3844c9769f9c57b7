#pragma once

#include <memory>
#include <string>
#include <utility>

#include "sotto/base/json.h"
#include "sotto/base/result.h"
#include "sotto/models/fits/private_fit.h"
#include "sotto/models/fits/split_scan.h"

namespace sotto {

// The best single question, by the exponential mechanism, exactly: a threshold
// of a number, a value of a category, or a constant, with either label; all
// columns in one draw.
//
// Guarantee: epsilon-DP, delta = 0.
// Proof:     split_scan.md.
// Threads:   immutable; calls may run at the same time.
class StumpFit final : public PrivateFit {
 public:
  static Result<std::unique_ptr<PrivateFit>> Create(const FitColumns& columns,
                                                    const FitBudget& budget);

  FitHypothesis Fit(const FitBatch& batch, Rng& rng) const override;
  Spend spend() const override;
  double ExpectedError(double rows) const override;
  double RowsFor(double error, double failure) const override;
  Json parameters() const override;
  std::string Summary() const override;

 private:
  StumpFit(FitColumns columns, const FitBudget& budget, const Rational& rate,
           SplitWeights weights)
      : columns_(std::move(columns)),
        budget_(budget),
        rate_(rate),
        weights_(std::move(weights)) {}

  FitColumns columns_;
  FitBudget budget_;
  Rational rate_;
  SplitWeights weights_;
};

const FitEntry& ThresholdEntry();  // of one column
const FitEntry& StumpEntry();      // of all

// All columns of the inputs, with --range.
Result<FitColumns> AllColumns(const Settings& settings,
                              const InputSpec& inputs);
// The one column that --column names, or the first number.
Result<FitColumns> OneNumber(const Settings& settings, const InputSpec& inputs);
const Option& ColumnOption();

}  // namespace sotto
