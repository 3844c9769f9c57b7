#pragma once

#include "sotto/base/result.h"
#include "sotto/boundaries/boundary_phases.h"

namespace sotto {

// The phases with the paper's constants, made explicit: for comparison, and
// hopeless. The noise is far more than our accounting asks for, so the target
// is kept; what the constants are and where they come from is in
// rectangles_predictor.md, *The paper's constants*.
// Fails with kNotConverged where they settle nowhere, else as
// ChooseBoundaryPhases does.
Result<BoundaryPhases> PaperPhases(const BoundaryTarget& target);

}  // namespace sotto
