#include "sotto/mechanisms/boundaries/boundary_promise.h"

#include <utility>

#include "sotto/accounting/group_privacy.h"

namespace sotto {
namespace {

// Under replacement a user's later queries may depend on what only this user
// heard, in both worlds differently (group_privacy.md, step 3).
std::uint64_t GroupSize(const BoundaryUser& user) {
  return user.relation == Relation::kReplace ? 2 * user.rounds - 1
                                             : user.rounds;
}

}  // namespace

Result<ApproximateDp> OneRoundCost(const BoundaryUser& user) {
  if (user.rounds == 1) return user.all;
  if (user.rounds > (std::uint64_t{1} << 20)) {
    return InvalidArgument("a user may have at most 2^20 rounds");
  }
  return PerRoundTarget(user.all, GroupSize(user));
}

Result<Guarantee> BoundaryPromise(const BoundaryPhases& phases,
                                  const BoundaryUser& user,
                                  std::string protects) {
  const double factor = GroupFactor(phases.target.epsilon, GroupSize(user));
  SOTTO_TRY_ASSIGN(auto schedule, phases.schedule.ScaledBy(factor));
  return Guarantee::Create({.notion = Notion::kEverlasting,
                            .relation = user.relation,
                            .epsilon = user.all.epsilon,
                            .schedule = std::move(schedule),
                            .adversary = Adversary::kAdaptive,
                            .rounds_per_user = user.rounds,
                            .protects = std::move(protects),
                            .in_rounds = true});
}

}  // namespace sotto
