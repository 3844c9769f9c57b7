#pragma once

#include <cstdint>
#include <string>

#include "sotto/accounting/guarantee.h"
#include "sotto/accounting/spend.h"
#include "sotto/base/result.h"
#include "sotto/mechanisms/boundaries/boundary_phases.h"

namespace sotto {

// Guarantee of a user of several rounds, and the budget of one of them.
struct BoundaryUser {
  ApproximateDp all;  // delta: the sum over all rounds and the training set
  Relation relation = Relation::kReplace;
  std::uint64_t rounds = 1;
};

// Fails as PerRoundTarget does.
Result<ApproximateDp> OneRoundCost(const BoundaryUser& user);

// The everlasting promise, with the schedule of `phases`, which were chosen for
// OneRoundCost(user). Proof: boundaries.md, step 8.
// `before`: parts that a training row pays for beside its boundary sets.
Result<Guarantee> BoundaryPromise(const BoundaryPhases& phases,
                                  const BoundaryUser& user,
                                  std::string protects,
                                  std::vector<Spend> before = {});
// The same where a record, of the training set or a query, costs `record`.
Result<Guarantee> MakeBoundaryPromise(const BoundaryPhases& phases,
                                      const BoundaryUser& user,
                                      std::string protects, Spend record);

}  // namespace sotto
