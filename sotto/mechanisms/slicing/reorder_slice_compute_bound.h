#pragma once

#include <cstdint>

#include "sotto/accounting/guarantee.h"
#include "sotto/base/rational.h"
#include "sotto/base/result.h"

namespace sotto {

// Privacy cost of Reorder-Slice-Compute: the explicit constant behind
// O(epsilon log(1/delta)).
//
//   auto bound = SliceBound({.slice_epsilon = 0.01, .geometric_rate = 0.01,
//                            .substitution_epsilon = 0.02,
//                            .slices = 1000, .failure = 1e-6});
//   bound->epsilon;                  // 0.23; one by one the slices cost 20
//
// Proof:   reorder_slice_compute.md, steps 3 to 7.
// Threads: pure functions.
struct SliceCosts {
  // Cost of the mechanism on a slice: for one element added or removed, and one
  // substituted (at most twice that, and for counts the same).
  double slice_epsilon = 0;
  double slice_delta = 0;
  double substitution_epsilon = 0;
  double substitution_delta = 0;
  double geometric_rate = 0;  // e_g
  std::uint64_t slices = 1;   // tau
  double failure = 0;         // delta^: what may go wrong in the slicing
};

struct SliceCharge {
  double epsilon = 0;
  double delta = 0;  // failure and the slices' own deltas
  // The two numbers of the analysis that gave it, and with them the
  // probability, in either world, that a decision leaves the worlds one element
  // apart. All zero where tau substitutions cost less.
  double unsync_loss = 0;  // e_1
  double sync_loss = 0;    // e_2
  double unsync = 0;
};

// The probabilities of leaving the worlds apart, for one e_1 and e_2, rounded
// up (step 3).
struct UnsyncProbability {
  double without = 1;  // in the world without the extra element
  double with = 1;
};
UnsyncProbability UnsyncFor(double geometric_rate, double unsync_loss,
                            double sync_loss);

// The charge for the best e_1 and e_2 (step 6). Fails with kInvalidArgument
// unless the rate is in [2^-14, 16], the epsilons in (0, 16], the deltas in
// [0, 1), slices in [1, 2^32], failure in (0, 1).
Result<SliceCharge> SliceBound(const SliceCosts& costs);

// Parameters of ReorderSliceCompute. `costs` without the substitution's, which
// follow from the relation that the slice's cost is stated for; a rate of 0
// means slice_epsilon.
struct SlicePlan {
  Rational rate;
  SliceCharge charge;
  Guarantee guarantee;
};
Result<SlicePlan> PlanSlices(SliceCosts costs, Relation slice_relation);

// Returns true if a mechanism may run on a slice with this budget: its
// guarantee must hold against adaptive adversaries, as ours does. A guarantee
// for add-remove serves as one for replacement at twice its cost. A guarantee
// for replacement does not cover a slice that is one element shorter: it serves
// only if the caller knows that it holds for that too.
bool WithinSliceBudget(const Guarantee& cost, double epsilon, double delta,
                       Relation slice_relation, bool covers_shorter);

// 3 e ceil(1.12 ln(1/failure)) + 2 e: a closed form that is never less, for
// slice_epsilon = geometric_rate = e <= 0.2.
double SliceEpsilonInClosedForm(double e, double failure);

}  // namespace sotto
