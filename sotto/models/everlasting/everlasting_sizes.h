#pragma once

#include <cstdint>

#include "sotto/base/result.h"
#include "sotto/models/everlasting/everlasting_schedule.h"

namespace sotto {

// How large a phase must be so that its teachers agree through the noise, and
// so that what it answers is enough for the teachers after it. Guesses of what
// data will be like are in here; privacy is in the rate alone, which is chosen
// last, for the numbers that came out.
//
// Proof:   everlasting.md, "Sizes".
// Threads: pure functions.
struct PhaseNeeds {
  double epsilon = 0;  // of one round
  double delta = 0;
  Relation relation = Relation::kReplace;
  double stopper = 0;
  std::uint64_t before = 0;   // rounds of the phase before, at most
  std::int64_t teachers = 0;  // approximate; 0: not known
  EverlastingShape shape = {};
  double rows = 20;  // of a teacher, honest ones
};

// Fails with kNotConverged if there is no noise that is enough.
Result<EverlastingPhase> SizePhase(const PhaseNeeds& needs);

// Teachers over the scale of the noise, where every round is paid for: teachers
// who agree are outvoted by noise in one round of a hundred.
inline constexpr double kPaidTeachersPerScale = 8;

// Rounds that are medium, of all rounds: of honest ones by where teachers
// disagree, of others as often as can be.
double MediumShare(const PhaseNeeds& needs);

// How often one teacher says what few others say: a guess.
double Disagreement(const PhaseNeeds& needs);

// The largest rate for these reports and this gap, to within 0.2 %. Without
// reports every round is paid for.
Result<double> LargestVoteRate(const PhaseNeeds& needs, std::int64_t reports,
                               std::uint64_t rounds);

}  // namespace sotto
