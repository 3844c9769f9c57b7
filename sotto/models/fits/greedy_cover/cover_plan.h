#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "sotto/models/fits/greedy_cover/greedy_cover.h"
#include "sotto/online/verdict.h"

namespace sotto {

// How many rows a private decision list needs, before any row is looked at.
//
//   auto plan = PlanCover(*learner, {.rows = 6500, .error = 0.02});
//   if (!plan) return plan.error();
//   std::cout << plan->samples_required << ": " << plan->advice;
//
// Proof:   greedy_cover.md, "Rows needed".
// Threads: a pure function.
struct CoverPlanRequest {
  std::optional<std::uint64_t> rows = std::nullopt;
  double error = 0.02;    // what privacy may add to it
  double failure = 0.05;  // the probability that it adds more
};

struct CoverPlan {
  // Most wrong rows by which a draw is worse than the best rule. Holds for all
  // draws together with probability 1 - failure.
  double rule_loss = 0;
  // Rows of which all draws together lose at most a fraction `error`.
  std::uint64_t samples_required = 0;
  // Rows that sufficed on a table that a list of ten rules explains: measured,
  // not a bound.
  std::uint64_t samples_expected = 0;
  // Absent where the number of rows is not given.
  std::optional<Verdict> verdict = std::nullopt;
  std::string advice;
  std::string comparison;  // one line against private logistic regression
};

// Fails with kInvalidArgument unless error and failure are in (0, 1).
Result<CoverPlan> PlanCover(const GreedyCover& learner,
                            const CoverPlanRequest& request);

}  // namespace sotto
