#pragma once

#include <cstdint>
#include <string_view>

#include "sotto/mechanisms/thresholds/challenge_band.h"

namespace sotto {

// BetweenThresholds for a stream of users each of whom sees one answer: the
// round of a protected user may hold any query, as long as no other user sees
// its answer. A Stopper decides on the halt, which is public.
//
//   auto test = ChallengeBetweenThresholds::Create(
//       {.epsilon = 1, .delta = 1e-6, .low = 400, .high = 600,
//        .reports = 50});
//   if (!test) return test.error();
//   const auto answer = test->Test(votes, rng);   // to this user only
//   if (test->halted()) Restart();
//
// Paper:     [PERP] Algorithm 4, with any band, a one-sided Stopper that is
//            checked in every round, and no horizon.
// Guarantee: (epsilon, delta)-challenge-DP; rounds must be public, so an absent
//            user takes an empty round.
// Proof:     challenge_between_thresholds.md, next to this file.
// Threads:   not thread-safe.
struct ChallengeBetweenThresholdsRule : TwoThresholds {
  static constexpr std::string_view kTag = "challenge_between_thresholds/1";

  struct Params {
    double epsilon = 0;
    double delta = 0;
    std::int64_t low = 0;
    std::int64_t high = 0;
    // With probability 1 - failure, `reports` answers in the band are given
    // before the halt, if there are at most `rounds` rounds.
    std::int64_t reports = 1;
    std::uint64_t rounds = 1'000'000;
    double failure = 0.05;
    // Manual override of reports, rounds and failure. If delta is 0 it is then
    // computed, else it must be met.
    ChallengeNoise noise = {};
  };
};
using ChallengeBetweenThresholds =
    ChallengeBand<ChallengeBetweenThresholdsRule>;

}  // namespace sotto
