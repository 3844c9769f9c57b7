#include "sotto/models/points/lopsided_step.h"

#include "sotto/mechanisms/mirrors/random_step.h"

namespace sotto {
namespace {

bool Good(const ApproximateDp& budget) {
  return budget.epsilon > 0 && budget.epsilon <= 10 && budget.delta >= 1e-12 &&
         budget.delta <= 0.1;
}

// e^epsilon, a little less.
long double Bound(const ApproximateDp& budget) {
  return ExpDown(budget.epsilon) * (1 - 1e-12L);
}

}  // namespace

// Step 2: the fastest rise that one_over_zero allows, then the fastest fall
// that zero_over_one does.
Result<LopsidedStep> LopsidedStep::Create(const Budgets& budgets) {
  if (!Good(budgets.one_over_zero) || !Good(budgets.zero_over_one)) {
    return InvalidArgument(
        "a step needs epsilons in (0, 10] and deltas in [1e-12, 0.1]");
  }
  const long double up = Bound(budgets.one_over_zero);
  const long double start = MirrorDesignDelta(budgets.one_over_zero.delta);
  const auto weights =
      HumpWeights({.start = start,
                   .growth = up - 1,
                   .addend = start,
                   .cap = up,
                   .decay = 1 / Bound(budgets.zero_over_one),
                   .end = MirrorDesignDelta(budgets.zero_over_one.delta)});
  if (weights.empty()) {
    return InvalidArgument("a step needs epsilon above ln 2 here");
  }
  SOTTO_TRY_ASSIGN(auto distribution,
                   MirrorDistribution::Create(/*first=*/1, weights));
  Budgets certified = budgets;
  certified.one_over_zero.delta =
      RandomStep::ComputeDelta(distribution, budgets.one_over_zero.epsilon)
          .one_over_zero;
  certified.zero_over_one.delta =
      RandomStep::ComputeDelta(distribution, budgets.zero_over_one.epsilon)
          .zero_over_one;
  if (!(certified.one_over_zero.delta <= budgets.one_over_zero.delta &&
        certified.zero_over_one.delta <= budgets.zero_over_one.delta)) {
    return NotConverged("the step's deltas could not be certified");
  }
  return LopsidedStep(std::move(distribution), certified);
}

}  // namespace sotto
