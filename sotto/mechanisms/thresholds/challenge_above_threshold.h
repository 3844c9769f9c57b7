#pragma once

#include <cstdint>
#include <string_view>

#include "sotto/mechanisms/thresholds/challenge_band.h"

namespace sotto {

// AboveThreshold for a stream of users each of whom sees one answer: the round
// of a protected user may hold any query, as long as no other user sees its
// answer. A Stopper decides on the halt, which is public.
//
//   auto test = ChallengeAboveThreshold::Create(
//       {.epsilon = 1, .delta = 1e-6, .threshold = 500, .reports = 50});
//   if (!test) return test.error();
//   const auto answer = test->Test(votes, rng);   // to this user only
//   if (test->halted()) Restart();
//
// Paper:     [POP] Algorithm 6, with a one-sided Stopper in place of the
//            private counter: no horizon, and no log^2 T in the noise.
// Guarantee: (epsilon, delta)-challenge-DP; rounds must be public, so an absent
//            user takes an empty round.
// Proof:     challenge_above_threshold.md, next to this file.
// Threads:   not thread-safe.
struct ChallengeAboveThresholdRule : OneThreshold {
  static constexpr std::string_view kTag = "challenge_above_threshold/1";

  struct Params {
    double epsilon = 0;
    double delta = 0;
    std::int64_t threshold = 0;
    // With probability 1 - failure, `reports` charged answers are given before
    // the halt, if there are at most `rounds` rounds.
    std::int64_t reports = 1;
    std::uint64_t rounds = 1'000'000;
    double failure = 0.05;
    Charge charge = Charge::kAbove;
    // Manual override of reports, rounds and failure. If delta is 0 it is then
    // computed, else it must be met.
    ChallengeNoise noise = {};
  };
};
using ChallengeAboveThreshold = ChallengeBand<ChallengeAboveThresholdRule>;

}  // namespace sotto
