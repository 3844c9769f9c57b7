#pragma once

#include "sotto/base/result.h"
#include "sotto/mechanisms/boundaries/boundary_phases.h"

namespace sotto {

// Numbers of RectanglesPERP.
struct SlicedNumbers {
  // The paper's formulas, errata applied; otherwise the smallest numbers that
  // keep the guarantee.
  bool printed = false;
  double constant = 1;    // factor of the margins Delta_p
  double failure = 0.05;  // beta
  // Epsilon and delta in the printed formulas where they are not the target's:
  // Algorithm 7 runs Algorithm 5 with a part of them. 0: the target's.
  double formula_epsilon = 0;
  double formula_delta = 0;
};

// All phases of RectanglesPERP: t_p rounds, Delta_p = low + 1, 2 Delta_p =
// high - 1, m_p = size, k_p = limit. The last one is cut where the samplers
// would cost more than delta(i) allows. Always checked at the very numbers that
// are returned. Fails with kInvalidArgument as Validate(target) does, with
// kBudgetExhausted where the numbers cost more than the target (a --constant
// that is too small), with kNotConverged where they settle nowhere.
// Constants: sliced_predictor.md, *Numbers*.
Result<BoundaryPhases> ChooseSlicedPhases(const BoundaryTarget& target,
                                          const SlicedNumbers& numbers);

// Training rows that the formulas ask for.
double SlicedRowsRequired(const BoundaryPhases& phases,
                          const SlicedNumbers& numbers);

}  // namespace sotto
