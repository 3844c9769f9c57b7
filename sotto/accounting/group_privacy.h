#pragma once

#include <cstdint>

#include "sotto/accounting/guarantee.h"
#include "sotto/base/result.h"

namespace sotto {

// Converts a guarantee for one round (or one record) into a guarantee for
// several. Used for users with many rounds, and for neighbours several steps
// apart.
//
//   const ApproximateDp five = ForGroup(ApproximateDp{0.2, 1e-9}, 5);
//   const auto each = PerRoundTarget(ApproximateDp{1, 1e-6}, 5);
//
// Paper:     [POP] Theorem 3.4, with delta (e^{g eps} - 1) / (e^eps - 1) in
//            place of g e^{g eps} delta.
// Guarantee: holds for dp and jdp with any relation, for challenge-dp with g
//            adaptively chosen challenge rounds, and for everlasting schedules.
//            Challenge-dp under replacement, if a user's later data depend on
//            answers that only this user received: for POP,
//            ChallengeBetweenThresholds and ChallengeAboveThreshold as they
//            are; else with 2g - 1 in place of g (step 3).
// Proof:     group_privacy.md, next to this file.
// Threads:   pure functions.

// 1 + e^eps + ... + e^{(size-1) eps}, rounded up; +infinity where it overflows
// or epsilon is negative or NaN.
double GroupFactor(double epsilon, std::uint64_t size);

// Size 0 has cost 0. delta is at most 1.
PureDp ForGroup(const PureDp& one, std::uint64_t size);
ApproximateDp ForGroup(const ApproximateDp& one, std::uint64_t size);
Zcdp ForGroup(const Zcdp& one, std::uint64_t size);  // size^2 rho

// An add-remove guarantee, stated for replacement: out, then in. The converse
// conversion is impossible: replacement does not cover data sets of different
// sizes.
ApproximateDp ReplaceFromAddRemove(const ApproximateDp& one);

// The largest guarantee for one round that gives a group of `size` at most
// `user`: the largest epsilon first, then the largest delta. Fails with
// kInvalidArgument where user or size are out of range, with kNotConverged
// where delta would underflow.
Result<ApproximateDp> PerRoundTarget(const ApproximateDp& user,
                                     std::uint64_t size);

// The guarantee of one round, restated for users of up to `rounds` rounds or
// for replacement. Fail with kInvalidArgument where the guarantee is already
// for several rounds, has the wrong relation, or nothing is left of it
// (delta >= 1). For kChangeByOne, "a round" is one unit of one line.
Result<Guarantee> UserLevel(const Guarantee& one, std::uint64_t rounds);
Result<Guarantee> ReplaceFromAddRemove(const Guarantee& one);

}  // namespace sotto
