#include "sotto/mechanisms/boundaries/boundary_promise.h"

#include <utility>

#include "sotto/accounting/group_privacy.h"
#include "sotto/accounting/rounding.h"
#include "sotto/accounting/spend.h"

namespace sotto {
namespace {

// Under replacement a user's later queries may depend on what only this user
// heard, in both worlds differently (group_privacy.md, step 3).
std::uint64_t GroupSize(const BoundaryUser& user) {
  return user.relation == Relation::kReplace ? 2 * user.rounds - 1
                                             : user.rounds;
}

// Noise of the first phase; later ones have more.
std::vector<Spend> FirstNoise(const BoundaryPhases& phases) {
  const BoundaryPhase& first = phases.phases.front();
  return {
      PurePart("counts", SamplerKind::kLaplace, first.initial.rate, 1),
      PurePart("recycled counts", SamplerKind::kLaplace, first.recycled.rate,
               1),
      PurePart("stopper", SamplerKind::kGeometric, first.initial.stopper, 1)};
}

// A training row pays for its boundary sets and for what came before them, a
// query for the sets it may be in. Their deltas are at most the schedule's
// first (boundaries.md, step 8).
Spend RecordCosts(const BoundaryPhases& phases, std::vector<Spend> before) {
  const BoundaryTarget& target = phases.target;
  const double delta = phases.schedule.At(0);
  const bool whole = target.training_epsilon == 0;
  before.push_back(
      ComposeParts("boundary sets",
                   {whole ? target.epsilon : target.training_epsilon,
                    DownAdd(delta, -target.training_spent)},
                   FirstNoise(phases)));
  Spend query =
      ComposeParts("query", {target.epsilon, delta}, FirstNoise(phases));
  return TakeLargest("record", {AddParts("training row", std::move(before)),
                                std::move(query)});
}

}  // namespace

Result<ApproximateDp> OneRoundCost(const BoundaryUser& user) {
  if (user.rounds == 1) return user.all;
  if (user.rounds > (std::uint64_t{1} << 20)) {
    return InvalidArgument("a user may have at most 2^20 rounds");
  }
  return PerRoundTarget(user.all, GroupSize(user));
}

Result<Guarantee> MakeBoundaryPromise(const BoundaryPhases& phases,
                                      const BoundaryUser& user,
                                      std::string protects, Spend record) {
  const std::uint64_t steps = GroupSize(user);
  const double factor = GroupFactor(phases.target.epsilon, steps);
  SOTTO_TRY_ASSIGN(auto schedule, phases.schedule.ScaledBy(factor));
  return MakeGuarantee({.notion = Notion::kEverlasting,
                        .relation = user.relation,
                        .schedule = std::move(schedule),
                        .adversary = Adversary::kAdaptive,
                        .rounds_per_user = user.rounds,
                        .protects = std::move(protects),
                        .in_rounds = true,
                        .spend = ForSteps(std::move(record), steps)},
                       user.all);
}

Result<Guarantee> BoundaryPromise(const BoundaryPhases& phases,
                                  const BoundaryUser& user,
                                  std::string protects,
                                  std::vector<Spend> before) {
  return MakeBoundaryPromise(phases, user, std::move(protects),
                             RecordCosts(phases, std::move(before)));
}

}  // namespace sotto
