#pragma once

#include <cstdint>

#include "sotto/accounting/guarantee.h"
#include "sotto/base/result.h"

namespace sotto {

// The cover process with a limited number of rounds: short lists may use larger
// weights than CoverDelta allows (by 18 % for 30 rules, at epsilon = 1 and
// delta = 1e-6).
struct CoverGame {
  std::uint32_t penalty = 1;  // integers: the weights are these times unit
  std::uint32_t reward = 0;
  double unit = 0;  // nats, at least the unit that is used
  std::uint32_t rounds = 1;
  Relation relation = Relation::kReplace;
};

// The supremum of delta(epsilon) over all data and all sets of rules, from
// above, by backward induction over the rounds on a grid of losses.
//
//   auto delta = CoverGameDelta({.penalty = 5, .reward = 1, .unit = 0.0175,
//                                .rounds = 30}, 1.0);
//
// Never above CoverDelta of the same weights by more than rounding. Fails with
// kInvalidArgument where a field is out of range: penalty and reward at most
// kMaxCoverUnits together, 1 to kMaxCoverGameRounds rounds, unit positive and
// the range of the weights in [1e-3, 20].
//
// Proof:   cover_delta.md, steps 7 and 8.
// Threads: a pure function.
inline constexpr std::uint32_t kMaxCoverUnits = 100;
inline constexpr std::uint32_t kMaxCoverGameRounds = 400;
Result<double> CoverGameDelta(const CoverGame& game, double epsilon);

}  // namespace sotto
