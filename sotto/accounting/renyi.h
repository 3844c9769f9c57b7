#pragma once

#include <functional>
#include <limits>

#include "sotto/base/result.h"

namespace sotto {

// An upper bound on the Renyi divergence between a mechanism's outputs on two
// neighbouring inputs, kept as the log-moment
//
//   L(order) = ln E_Q[(P/Q)^order] = (order - 1) * D_order(P || Q),
//
// the larger of the two directions, for orders in (1, max_order). Log-moments
// of (adaptively, or concurrently) composed mechanisms add.
//
//   const RenyiCurve curve = GaussianCurve(5).Repeated(10);
//   const Result<double> epsilon = EpsilonFromRenyi(curve, 1e-6);
//   const double delta = DeltaFromRenyi(curve, 3);
//
// Proof:   renyi.md, next to this file.
// Threads: a value type; const members may be called from many threads.
class RenyiCurve {
 public:
  using LogMoment = std::function<double(double order)>;

  // `log_moment` must never be below the true value; it returns +infinity where
  // it has no bound. `max_order` is a hint for the search: no order at or above
  // it is ever tried.
  explicit RenyiCurve(
      LogMoment log_moment,
      double max_order = std::numeric_limits<double>::infinity());

  // Rounded up. +infinity for orders outside (1, max_order) and wherever the
  // formula gave no number.
  double LogMomentAt(double order) const;
  double max_order() const { return max_order_; }

  // The curve of both mechanisms together, and of `count` copies.
  RenyiCurve ComposedWith(const RenyiCurve& other) const;
  RenyiCurve Repeated(double count) const;

 private:
  LogMoment log_moment_;
  double max_order_;
};

// The least delta (rounded up, at most 1) and least epsilon that some order
// proves, by the optimal conversion
//   delta = exp(L(a) - (a-1) epsilon) * (1 - 1/a)^(a-1) / a.
// EpsilonFromRenyi fails with kNotConverged where no order proves any epsilon,
// kInvalidArgument unless 0 < delta < 1.
double DeltaFromRenyi(const RenyiCurve& curve, double epsilon);
Result<double> EpsilonFromRenyi(const RenyiCurve& curve, double delta);

// The same at one order, for callers that have only the log-moment there.
// DeltaAtOrder is at most 1; EpsilonAtOrder is at least 0, +infinity where
// there is none. LogMomentBudget is the largest log-moment (rounded down) that
// still proves (epsilon, delta) at this order; negative means that none does.
double DeltaAtOrder(double order, double log_moment, double epsilon);
double EpsilonAtOrder(double order, double log_moment, double delta);
double LogMomentBudget(double order, double epsilon, double delta);

// Common curves. `epsilon`, `sigma`, `rho` are positive and finite.
RenyiCurve PureCurve(
    double epsilon);  // randomized response: the worst pure one
RenyiCurve GaussianCurve(
    double sigma);  // sensitivity 1; also the discrete Gaussian
RenyiCurve ConcentratedCurve(double rho);  // rho-zCDP: D_a <= rho * a

// The largest rho (rounded down) whose conversion proves (epsilon, delta).
// Fails with kInvalidArgument unless epsilon is positive and finite and
// 0 < delta < 1, with kNotConverged where no positive rho was found.
Result<double> ConcentratedBudget(double epsilon, double delta);

}  // namespace sotto
