#pragma once

#include <cstdint>

#include "sotto/accounting/guarantee.h"
#include "sotto/base/result.h"

namespace sotto {

// Noise for a threshold test whose halting is left to a Stopper, so that one
// round may stay hidden.
//
//   auto noise = ChooseChallengeNoise({}, {.epsilon = 1, .delta = 1e-6,
//                                          .reports = 100, .gap = 200});
//
// Proof:   challenge_between_thresholds.md; pop_accountant.md in accounting.
// Threads: pure functions.
struct ChallengeTarget {
  // "No upper threshold", as a gap: wider than all noise.
  static constexpr std::int64_t kAboveThreshold = std::int64_t{1} << 40;

  double epsilon = 0;
  double delta = 0;
  std::int64_t gap = kAboveThreshold;
  // With probability 1 - failure, `reports` charged answers are given before
  // the halt, if there are at most `rounds` rounds.
  std::int64_t reports = 1;
  std::uint64_t rounds = 1'000'000;
  double failure = 0.05;
};

// All zero: to be calibrated.
struct ChallengeNoise {
  double rate = 0;          // e0 of the test
  double stopper_rate = 0;  // e_s
  std::int64_t limit = 0;   // of the Stopper
  friend bool operator==(const ChallengeNoise&,
                         const ChallengeNoise&) = default;
};

// The least delta proved, samplers' slack included. Fails with kInvalidArgument
// on rates outside [2^-30, 64] (test), [2^-20, 16] (Stopper), limits < 1.
Result<double> ChallengeDelta(const ChallengeNoise& noise, std::int64_t gap,
                              double epsilon);

struct ChosenChallengeNoise {
  ChallengeNoise noise;
  double delta = 0;
};
// `by_hand` all zero: the noise with the largest test rate over a grid of
// Stopper shares. Otherwise its delta is computed; if target.delta is not 0 it
// must be met (kBudgetExhausted).
Result<ChosenChallengeNoise> ChooseChallengeNoise(
    const ChallengeNoise& by_hand, const ChallengeTarget& target);

Result<Guarantee> ChallengeGuarantee(double epsilon, double delta);

}  // namespace sotto
