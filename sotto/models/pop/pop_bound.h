#pragma once

#include <cstdint>
#include <optional>

#include "sotto/models/pop/pop_schedule.h"

namespace sotto {

// What is proved of the procedure's mistakes, whatever the stream, as long as
// each copy errs at most d times on the examples it is taught, every round has
// a label, and it comes before the next round.
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

// With probability 1 - failure, at most so many rounds of one phase are paid
// for, or wrong. Nothing if the argument does not apply.
enum class PopEvent { kPaid, kMistake };
std::optional<double> PopPhaseEvents(const PopPhase& phase, PopEvent event,
                                     double active_share,
                                     const PopBoundRequest& request);

// With probability 1 - failure, at most so many mistakes in all phases
// together; nothing if no bound below the number of rounds is proved, for the
// paper's variant, agnostic mode and pinned users, and if the last phase has a
// clock.
// Requires a valid schedule.
std::optional<double> PopMistakes(const PopSchedule& schedule,
                                  const PopBoundRequest& request);

}  // namespace sotto
