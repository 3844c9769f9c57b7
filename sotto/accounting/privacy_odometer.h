#pragma once

#include <utility>
#include <vector>

#include "sotto/accounting/guarantee.h"
#include "sotto/accounting/renyi.h"
#include "sotto/base/result.h"

namespace sotto {

// A privacy odometer: reports at any time how much was spent, without a budget.
// The reading may be used to decide what to run next and when to stop.
//
//   auto odometer = RenyiOdometer::Create({.orders = {2, 4, 8, 16, 32},
//                                          .delta = 1e-6});
//   if (Status booked = odometer->Charge(GaussianCurve(20)); !booked) ...
//   const double so_far = odometer->Epsilon();
//
// Paper:     [RRUV16] (definition), [Lecuyer21], [WRRW23].
// Guarantee: with probability at least 1 - delta, the privacy loss after every
//            charge is at most the Epsilon() of that moment, for all moments
//            together; in either direction. Costs and mechanisms may be chosen
//            adaptively. Hence, whatever rule stops the process, any event S of
//            its transcript has P(S) <= E_Q[e^Epsilon 1_S] + delta.
// Proof:     privacy_odometer.md, next to this file.
// Threads:   not thread-safe; one session owns one odometer.
class RenyiOdometer {
 public:
  struct Params {
    std::vector<double> orders;
    double delta = 0;
  };
  struct State {
    std::vector<double> orders;
    std::vector<double> spent;  // log-moment at each order
    double delta = 0;
    friend bool operator==(const State&, const State&) = default;
  };

  // Fails with kInvalidArgument unless the orders are distinct, finite, above 1
  // and at least one, and 0 < delta < 1. The orders never change. Each gets
  // delta / |orders|.
  static Result<RenyiOdometer> Create(Params params);
  static Result<RenyiOdometer> Restore(State state);

  // Books the cost of the mechanism about to run. Fails with kInvalidArgument
  // and changes nothing if the curve is infinite at every order: the reading
  // would stay infinite.
  Status Charge(const RenyiCurve& cost);

  // Rounded up; 0 before the first charge.
  double Epsilon() const;
  const State& state() const { return state_; }

 private:
  explicit RenyiOdometer(State state) : state_(std::move(state)) {}

  State state_;
};

// The odometer of pure DP: the sum of the epsilons so far bounds the loss with
// probability 1.
class PureOdometer {
 public:
  // Fails with kInvalidArgument and changes nothing unless the cost is finite
  // and not negative.
  Status Charge(const PureDp& cost);
  double Epsilon() const { return spent_; }

 private:
  double spent_ = 0;
};

}  // namespace sotto
