#pragma once

#include <utility>
#include <vector>

#include "sotto/accounting/guarantee.h"
#include "sotto/accounting/renyi.h"
#include "sotto/base/result.h"

namespace sotto {

// A privacy filter: enforces a budget that is fixed in advance while mechanisms
// and their costs are chosen adaptively. Call Charge before each mechanism. It
// refuses a cost that would exceed the budget, so that all admitted charges
// together stay within it.
//
//   auto filter = ZcdpFilter::Create(Zcdp{0.02});
//   if (Status paid = filter->Charge(Zcdp{0.001}); !paid) return paid.error();
//   Release(...);                                   // only now
//
// Charge either books the whole cost and returns Ok, or changes nothing and
// returns kBudgetExhausted (kInvalidArgument for a cost that is negative or
// NaN). Totals are rounded up, exactly where they are exact: a budget made by
// Compose of the planned charges admits them all, but ten charges of 0.1 exceed
// a budget of 1, since the double 0.1 exceeds a tenth.
//
// Paper:     [RRUV16] for basic, [FZ21] and [Lecuyer21] for Renyi composition.
// Guarantee: see each class; for adaptively chosen costs and mechanisms, also
//            for interactive ones that run concurrently, each charged in full
//            before its first answer.
// Proof:     privacy_filter.md, next to this file.
// Threads:   not thread-safe; one session owns one filter.

// Basic composition: all charges together are (budget.epsilon,
// budget.delta)-DP. With delta 0 it is the filter of pure DP.
class ApproximateFilter {
 public:
  // The state to save.
  struct State {
    ApproximateDp budget;
    ApproximateDp spent;
    friend bool operator==(const State&, const State&) = default;
  };

  // Fails with kInvalidArgument unless both numbers are finite and not negative
  // and delta is below 1.
  static Result<ApproximateFilter> Create(const ApproximateDp& budget);
  // Fails with kCorruption on a state no filter can be in.
  static Result<ApproximateFilter> Restore(const State& state);

  Status Charge(const ApproximateDp& cost);
  const State& state() const { return state_; }

 private:
  explicit ApproximateFilter(const State& state) : state_(state) {}

  State state_;
};

// All charges together are budget.rho-zCDP.
class ZcdpFilter {
 public:
  struct State {
    Zcdp budget;
    Zcdp spent;
    friend bool operator==(const State&, const State&) = default;
  };

  static Result<ZcdpFilter> Create(const Zcdp& budget);
  static Result<ZcdpFilter> Restore(const State& state);

  Status Charge(const Zcdp& cost);
  const State& state() const { return state_; }

 private:
  explicit ZcdpFilter(const State& state) : state_(state) {}

  State state_;
};

// All charges together have at most the budget's log-moment at every order of a
// fixed set: a charge must fit at all of them.
class RenyiFilter {
 public:
  struct State {
    std::vector<double> orders;
    std::vector<double> budget;  // log-moment allowed at each order
    std::vector<double> spent;
    friend bool operator==(const State&, const State&) = default;
  };

  // `orders` and the `budget` there. Fails with kInvalidArgument unless the
  // orders are distinct, finite, above 1, at least one, and the budget is
  // finite at each.
  static Result<RenyiFilter> Create(std::vector<double> orders,
                                    const RenyiCurve& budget);
  // Uses the one order among `orders` at which (epsilon, delta) admits the most
  // charges like `typical`. Its budget is the whole target. Every order is
  // valid. Fails with kInvalidArgument on a bad target, with kBudgetExhausted
  // where no order allows even one charge.
  static Result<RenyiFilter> ForTarget(const ApproximateDp& target,
                                       const std::vector<double>& orders,
                                       const RenyiCurve& typical);
  static Result<RenyiFilter> Restore(State state);

  Status Charge(const RenyiCurve& cost);
  const State& state() const { return state_; }

  // The guarantee of the whole budget, spent or not, by the best of its orders.
  // The choice depends on the budget, never on what was spent: that would be
  // data-dependent (privacy_filter.md, "Not claimed").
  double BudgetDelta(double epsilon) const;
  // kNotConverged where no order proves a finite epsilon.
  Result<double> BudgetEpsilon(double delta) const;

 private:
  explicit RenyiFilter(State state) : state_(std::move(state)) {}

  State state_;
};

}  // namespace sotto
