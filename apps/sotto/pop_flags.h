#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "sotto/base/result.h"
#include "sotto/learners/learner_spec.h"
#include "sotto/models/pop/pop_plan.h"

namespace CLI {
class App;
}

namespace sotto::app {

// What a user says about the private online procedure; `plan` and `run` share
// it. All of it is public, and a saved state keeps it.
struct PopFlags {
  double epsilon = 0;
  double delta = 0;
  std::uint64_t horizon = 0;
  std::uint64_t rounds_per_user = 1;
  bool pin_users = false;
  std::string relation = "replace";
  std::string variant = "practical";
  std::string calibration = "practical";
  std::string learner = "threshold";
  std::string hand_over = "standby";
  std::uint64_t label_delay = 0;
  std::int64_t agnostic = 0;
  std::string optimise = "expected";
  std::uint64_t drift = 0;
  std::optional<double> complexity;
  std::optional<double> mistake_bound;
  PopByHand by_hand;
};

// Calls visit(name, field) for each, under the flag's own name.
template <typename Flags, typename Visit>
void ForEachPopFlag(Flags& flags, Visit visit) {
  visit("epsilon", flags.epsilon);
  visit("delta", flags.delta);
  visit("horizon", flags.horizon);
  visit("rounds-per-user", flags.rounds_per_user);
  visit("pin-users", flags.pin_users);
  visit("relation", flags.relation);
  visit("variant", flags.variant);
  visit("calibration", flags.calibration);
  visit("learner", flags.learner);
  visit("hand-over", flags.hand_over);
  visit("label-delay", flags.label_delay);
  visit("agnostic", flags.agnostic);
  visit("optimise", flags.optimise);
  visit("drift", flags.drift);
  visit("complexity", flags.complexity);
  visit("mistake-bound", flags.mistake_bound);
  visit("copies", flags.by_hand.copies);
  visit("noise-scale", flags.by_hand.noise_scale);
  visit("gap", flags.by_hand.gap);
  visit("reports", flags.by_hand.reports);
  visit("stopper", flags.by_hand.stopper);
  visit("active-share", flags.by_hand.active_share);
}

void AddPopFlags(CLI::App& command, PopFlags& flags);

// Resolves --calibration and --variant to one of practical and paper, and
// checks what no other place checks. Fails with kInvalidArgument.
Status Settle(PopFlags& flags);

// The request to the planner, with what is known of the learner.
PopPlanRequest PlanRequestOf(const PopFlags& flags, const LearnerSpec& spec);

}  // namespace sotto::app
