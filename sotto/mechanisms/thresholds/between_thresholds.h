#pragma once

#include <cstdint>
#include <string_view>

#include "sotto/mechanisms/thresholds/fresh_noise_band.h"

namespace sotto {

// Answers low, high or in the band between two thresholds, for a stream of
// integer queries of sensitivity 1. Only answers in the band are charged; after
// `reports` of them the test halts.
//
//   auto test = BetweenThresholds::Create({.epsilon = 1, .delta = 1e-6,
//                                          .low = 400, .high = 600,
//                                          .reports = 50});
//   if (!test) return test.error();
//   const auto answer = test->Test(votes, rng);
//   if (answer.zone == BetweenThresholds::Zone::kMedium) Use(answer.noisy);
//
// Paper:     [PERP] Algorithm 3, with any band of at least one integer.
// Guarantee: (epsilon, delta)-DP against adaptive queries, even though the
//            noisy value is released in the band.
// Proof:     between_thresholds.md, next to this file.
// Threads:   not thread-safe.
struct BetweenThresholdsRule : TwoThresholds {
  static constexpr std::string_view kTag = "between_thresholds/1";

  struct Params {
    double epsilon = 0;
    double delta = 0;
    // With n the noisy value: low if n <= low, high if n >= high, else medium.
    std::int64_t low = 0;
    std::int64_t high = 0;
    std::int64_t reports = 1;
    // Manual override of e0. If delta is 0 it is then computed, else it must
    // be met.
    double rate = 0;
  };
};
using BetweenThresholds = FreshNoiseBand<BetweenThresholdsRule>;

}  // namespace sotto
