#pragma once

#include <cstdint>
#include <optional>

#include "sotto/models/pop/pop_schedule.h"

namespace sotto {

// Mistake bound of the procedure. Holds for every stream in which each round
// has a label that arrives before the next round, if each copy makes at most d
// mistakes on the examples it is taught.
//
//   auto bound = PopMistakes(schedule, {.rounds = 1'000'000, .mistakes = 1});
//
// Proof:   pop_bound.md, next to this file.
// Threads: pure functions.
struct PopBoundRequest {
  std::uint64_t rounds = 0;  // T
  double mistakes = 0;       // d
  double failure = 0.05;     // beta
};

// Bound on the rounds of one phase that are paid for, or wrong. Holds with
// probability 1 - failure. Empty if the argument does not apply.
enum class PopEvent { kPaid, kMistake };
std::optional<double> PopPhaseEvents(const PopPhase& phase, PopEvent event,
                                     double active_share,
                                     const PopBoundRequest& request);

// Bound on the mistakes in all phases together. Holds with probability
// 1 - failure. Empty if no bound below the number of rounds is proved, for
// majority votes, agnostic mode and pinned users, and if the last phase has a
// clock. Requires a valid schedule.
std::optional<double> PopMistakes(const PopSchedule& schedule,
                                  const PopBoundRequest& request);

}  // namespace sotto
