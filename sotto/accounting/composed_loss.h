#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sotto/accounting/loss_grid.h"
#include "sotto/base/result.h"

namespace sotto {

// The composition of many copies of privacy-loss distributions on one lattice,
// by one Fourier transform of the exponentially tilted masses: the round-off is
// relative to the tail that is asked for, so that a delta of 1e-30 has as many
// right digits as one of 1e-3.
//
//   std::vector<GridTerm> terms = {{&grid, 1000}};
//   auto composed = ComposedLoss::Create(terms, {.tilt = 6});
//   double bound = std::exp(composed->At(2.5).log_delta);
//
// Guarantee: log_delta is never below the true value for the composed pair,
//            adaptive composition included; every numerical error is in it.
// Proof:     composed_loss.md, next to this file.
// Threads:   a value type.
struct GridTerm {
  const LossGrid* grid;  // must outlive the call of Create only
  std::uint64_t count;
};

// Sums of count * (log-moment, mean, variance) over the terms.
TiltedMoments ComputeMoments(std::span<const GridTerm> terms, double tilt);

class ComposedLoss {
 public:
  struct Params {
    double tilt = 0;            // >= 0; near d ln(delta) / d epsilon
    double window_tail = 1e-8;  // tilted mass outside the window
    std::size_t max_size = std::size_t{1} << 22;  // of the transform
  };

  struct Bound {
    double log_delta;    // natural logarithm, rounded up; -infinity for zero
    double error_share;  // of delta: round-off, window, truncated tails
  };

  // Fails with kInvalidArgument unless all lattices have the same spacing,
  // counts are positive and the tilt is finite and not negative; with
  // kNotConverged where the window needs a transform beyond max_size.
  static Result<ComposedLoss> Create(std::span<const GridTerm> terms,
                                     const Params& params);

  Bound At(double epsilon) const;

  double lowest() const { return LossAt(0); }
  double highest() const { return LossAt(mass_.size() - 1); }
  std::size_t size() const { return mass_.size(); }

 private:
  ComposedLoss() = default;
  friend class LossComposer;

  struct WeightedSum {
    double value = 0;
    double weights = 0;
    double far = 0;   // a bound on what was left out
    double base = 0;  // the loss at which the tilt's weight is one
  };

  double LossAt(std::size_t i) const;
  WeightedSum SumAbove(double at) const;

  double tilt_ = 0;
  double spacing_ = 0;
  double offset_ = 0;
  double first_ = 0;          // index of mass_[0]; an integer
  std::vector<double> mass_;  // tilted, with `round_off_` added to each
  double round_off_ = 0;
  double tail_ = 0;           // tilted mass above the window
  double below_ = 0;          // tilted mass below it
  double log_scale_ = 0;      // log of the product of the moments
  double log_inflation_ = 0;  // relative errors of the masses, all together
  double slack_ = 0;
  double infinity_ = 0;
  double truncated_ = 0;
};

}  // namespace sotto
