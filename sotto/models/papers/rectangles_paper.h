#pragma once

#include "sotto/base/result.h"
#include "sotto/mechanisms/boundaries/boundary_phases.h"

namespace sotto {

// The first phase with the paper's constants, made explicit: for comparison,
// and hopeless. Sizes, thresholds and noise are the paper's, for its lengths,
// which are far more rounds than the samplers cover: it halts when they are
// used up. The noise is far more than our accounting asks for, so the target is
// kept. What the constants are is in rectangles_predictor.md, *The paper's
// constants*. Fails with kNotConverged where they settle nowhere, else as
// ChooseBoundaryPhases does.
Result<BoundaryPhases> PaperPhases(const BoundaryTarget& target);

// How many training rows the paper's proof then asks for.
double PaperRows(const BoundaryPhases& phases);

}  // namespace sotto
