#pragma once

#include <cstdint>

#include "sotto/base/result.h"
#include "sotto/mechanisms/boundaries/boundary_phases.h"

namespace sotto {

// The two ways to take boundary sets from a training set, by the scale of the
// noise that each would need on counts at the same target: overlapping sets,
// all of which a record may be in; or disjoint slices of Reorder-Slice-Compute.
struct BoundaryForms {
  double overlapping = 0;
  double sliced = 0;  // infinite where no slice is cheap enough

  bool overlapping_is_cheaper() const { return overlapping <= sliced; }
};

// For the first phase. Proof: rectangles_predictor.md, *Two forms*.
BoundaryForms CompareForms(const BoundaryPhases& phases);

}  // namespace sotto
