#pragma once

#include <cstdint>

#include "sotto/accounting/guarantee.h"
#include "sotto/base/result.h"
#include "sotto/mechanisms/boundaries/boundary_cost.h"
#include "sotto/mechanisms/boundaries/boundary_phases.h"

namespace sotto {

// Privacy cost of RectanglesPERP with the numbers in use: copies of ChallengeBT
// with the Laplace Stopper, asked in every round, over slices of equal size in
// both worlds. Of a SideNoise, `rounds_per_check` is not used: it is 1.
//
// Proof:   sliced_predictor.md, steps 3 to 7.
// Threads: pure functions.

// Mediums beyond `limit` that the proof allows a copy, and the probability that
// there are more.
std::int64_t LateReports(const SideNoise& copy);
double LateFailure(const SideNoise& copy);

// Delta at `epsilon`, rounded up. Requires valid copies.

// A record of the data that a phase begins with: one slice of each side differs
// by at most one element.
double SlicesDelta(const SideNoise& copy, std::uint32_t sides, double epsilon);
// A query that was medium: its Stopper, then one recycled copy. kReplace with
// several sides: twice.
double SlicedMediumDelta(const SideNoise& copy, std::uint32_t sides,
                         Relation relation, double epsilon);
// A query of a phase with these copies, where the next phase begins with
// `next`.
double SlicedQueryDelta(const SideNoise& copy, const SideNoise& next,
                        std::uint32_t sides, Relation relation, double epsilon);

// The largest rate of tests such that `targets` mediums, and before them
// `stoppers` Stoppers of rate `stopper`, cost at most (epsilon, delta). The
// band is `band` noise scales wide. 0 if there is none.
struct SlicedTarget {
  double epsilon = 0;
  double delta = 0;
  double targets = 1;
  double stopper = 0;
  int stoppers = 0;
  double band = 1;
};
double LargestSlicedRate(const SlicedTarget& target);

// Checks that all phases keep their target: every delta is computed again. Both
// copies of a phase are the same.
Status CheckSlicedPhases(const BoundaryPhases& phases);

// Rate of the secret part of the slices' sizes in a phase, from 0:
// epsilon / ln(1/delta), as printed. Public.
double SliceSizeRate(const BoundaryPhases& phases, std::size_t phase);

}  // namespace sotto
