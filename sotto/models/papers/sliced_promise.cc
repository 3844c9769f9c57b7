#include <algorithm>
#include <utility>

#include "sotto/accounting/rounding.h"
#include "sotto/accounting/spend.h"
#include "sotto/models/papers/sliced_cost.h"
#include "sotto/models/papers/sliced_predictor.h"

namespace sotto {
namespace {

// Noise of the first phase; later ones have more. The sizes of slices are the
// same in both worlds, so that they cost nothing (step 3 of the page).
std::vector<Spend> FirstNoise(const BoundaryPhases& phases) {
  const SideNoise& first = phases.phases.front().initial;
  return {PurePart("counts", SamplerKind::kLaplace, first.rate, 1),
          PurePart("stopper", SamplerKind::kLaplace, first.stopper, 1),
          PurePart("slice sizes", SamplerKind::kGeometric,
                   SliceSizeRate(phases, 0), 0)};
}

double WithSamplers(const BoundaryPhases& phases, std::size_t p, double delta) {
  std::uint64_t rounds = p > 0 ? phases.phases[p - 1].length : 0;
  if (p < phases.phases.size()) rounds += phases.phases[p].length;
  return UpAdd(
      delta, BoundarySlack(rounds, phases.target.sides, phases.target.epsilon));
}

double TrainingCost(const BoundaryPhases& phases, double epsilon) {
  return WithSamplers(
      phases, 0,
      SlicesDelta(phases.phases.front().initial, phases.target.sides, epsilon));
}

// The largest over all phases.
double QueryCost(const BoundaryPhases& phases) {
  const BoundaryTarget& target = phases.target;
  double worst = 0;
  for (std::size_t p = 0; p < phases.phases.size(); ++p) {
    const SideNoise& copy = phases.phases[p].recycled;
    const double paid =
        p + 1 < phases.phases.size()
            ? SlicedQueryDelta(copy, phases.phases[p + 1].initial, target.sides,
                               target.relation, target.epsilon)
            : SlicedMediumDelta(copy, target.sides, target.relation,
                                target.epsilon);
    worst = std::max(worst, WithSamplers(phases, p + 1, paid));
  }
  return worst;
}

}  // namespace

Result<Guarantee> SlicedPromise(const BoundaryPhases& phases,
                                const BoundaryUser& user,
                                std::vector<Spend> before) {
  const BoundaryTarget& target = phases.target;
  const double epsilon =
      target.training_epsilon > 0 ? target.training_epsilon : target.epsilon;
  before.push_back(ComposeParts(
      "slices", {epsilon, TrainingCost(phases, epsilon)}, FirstNoise(phases)));
  Spend query = ComposeParts("query", {target.epsilon, QueryCost(phases)},
                             FirstNoise(phases));
  return MakeBoundaryPromise(
      phases, user, "a query's point, and a training row's point and label",
      TakeLargest("record", {AddParts("training row", std::move(before)),
                             std::move(query)}));
}

}  // namespace sotto
