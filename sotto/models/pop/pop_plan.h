#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sotto/accounting/guarantee.h"
#include "sotto/base/result.h"
#include "sotto/models/pop/pop_model.h"
#include "sotto/models/pop/pop_schedule.h"
#include "sotto/online/verdict.h"

namespace sotto {

// Chooses the numbers of the private online procedure before any data is
// touched, and says what to expect of them.
//
//   auto plan = PlanPop({.epsilon = 1, .delta = 1e-6,
//                        .behaviour = {.rounds = 1'000'000}});
//   if (!plan) return plan.error();
//   Use(plan->schedule, plan->mistakes_expected, plan->verdict);
//
// Privacy holds for any numbers; only the number of mistakes depends on how
// well they fit. Noise is calibrated exactly; what is optimised is a model of
// the mistakes (pop_model.h) or the proved bound (pop_bound.h).
//
// Proof:   pop_plan.md, next to this file.
// Threads: pure functions.

enum class PopGoal {
  kExpected,  // the fewest mistakes expected by the model
  kBound,     // the least bound that is proved, whatever the data
};

// Manual overrides; the rest is planned. With any of these set the
// schedule has one phase, which repeats.
struct PopOverrides {
  std::optional<std::int64_t> copies = {};
  std::optional<double> noise_scale = {};  // 1 / e0
  std::optional<std::int64_t> gap = {};
  std::optional<std::int64_t> reports = {};
  std::optional<double> stopper = {};       // e_s
  std::optional<double> active_share = {};  // in [0, 1], with a standby

  bool any() const {
    return copies || noise_scale || gap || reports || stopper || active_share;
  }
  friend bool operator==(const PopOverrides&, const PopOverrides&) = default;
};

struct PopPlanRequest {
  double epsilon = 0;
  double delta = 0;
  std::uint64_t rounds_per_user = 1;
  bool pin_users = false;
  PopVariant variant = PopVariant::kBand;
  PhaseEnd handover = PhaseEnd::kStandby;
  // Agnostic mode: this many mistakes more than planned restart it.
  std::int64_t mistakes_per_phase = 0;
  PopGoal goal = PopGoal::kExpected;
  // For learners the model may not fit: no phase relies on how long the one
  // before it lasts.
  bool steady = false;
  PopBehaviour behaviour = {};
  // d: maximum number of mistakes of one copy on any stream. Empty: unknown.
  std::optional<double> mistake_bound = {};
  PopOverrides by_hand = {};
  // Search for changes that would improve the verdict. Takes as long as the
  // rest of the plan.
  bool advise = true;

  friend bool operator==(const PopPlanRequest&,
                         const PopPlanRequest&) = default;
};

struct PopPlan {
  PopSchedule schedule;
  Guarantee guarantee;
  PopExpectation expected = {};
  // Holds with probability 95 % for every stream the mistake bound covers;
  // nothing if none below the number of rounds is proved.
  std::optional<double> mistakes_bound = {};
  // Comfortable: at most 2 % of the rounds are expected to be mistakes; tight:
  // at most 15 %; hopeless: more.
  Verdict verdict = Verdict::kHopeless;
  // Sentences: changes that would give a better verdict.
  std::vector<std::string> advice = {};
};

// Fails with kInvalidArgument on a request that makes no sense, with
// kBudgetExhausted or kNotConverged if no numbers meet (epsilon, delta).
Result<PopPlan> PlanPop(const PopPlanRequest& request);

}  // namespace sotto
