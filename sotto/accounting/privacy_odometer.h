#pragma once

#include <utility>
#include <vector>

#include "sotto/accounting/guarantee.h"
#include "sotto/accounting/renyi.h"
#include "sotto/base/result.h"

namespace sotto {

// A privacy odometer has no budget: it says at any time how much was spent, and
// what it says may be read, acted upon and used to decide when to stop.
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
  // and at least one, and 0 < delta < 1. The orders are fixed for good: each
  // gets delta / |orders|.
  static Result<RenyiOdometer> Create(Params params);
  static Result<RenyiOdometer> Restore(State state);

  // Books the cost of the mechanism about to run. kInvalidArgument, and nothing
  // changes, where the curve is finite at none of the orders: the odometer
  // would say infinity for ever.
  Status Charge(const RenyiCurve& cost);

  // Rounded up; 0 before the first charge.
  double Epsilon() const;
  const State& state() const { return state_; }

 private:
  explicit RenyiOdometer(State state) : state_(std::move(state)) {}

  State state_;
};

// The odometer of pure DP: the sum of the epsilons so far bounds the loss
// surely, with delta 0.
class PureOdometer {
 public:
  // kInvalidArgument, and nothing changes, unless the cost is finite and not
  // negative.
  Status Charge(const PureDp& cost);
  double Epsilon() const { return spent_; }

 private:
  double spent_ = 0;
};

}  // namespace sotto
