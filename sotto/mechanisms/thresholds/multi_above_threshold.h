#pragma once

#include <cstdint>
#include <string_view>

#include "sotto/mechanisms/thresholds/fresh_noise_band.h"

namespace sotto {

// Answers "at or above the threshold?" for a stream of integer queries of
// sensitivity 1 with fresh noise on each and none on the threshold, and halts
// after `reports` answers of the charged kind; the other kind is free.
//
//   auto test = MultiAboveThreshold::Create(
//       {.epsilon = 1, .delta = 1e-6, .threshold = 500, .reports = 100});
//   if (!test) return test.error();
//   if (test->Test(count, rng) == ThresholdAnswer::kAbove) ...
//
// Paper:     [POP] Algorithm 1; charging below: [Littlestone] Algorithm 2.
// Guarantee: (epsilon, delta)-DP against adaptive queries, up to 2^49 of them.
// Proof:     multi_above_threshold.md, next to this file.
// Threads:   not thread-safe.
struct MultiAboveThresholdRule : OneThreshold {
  static constexpr std::string_view kTag = "multi_above_threshold/1";

  struct Params {
    double epsilon = 0;
    double delta = 0;
    std::int64_t threshold = 0;
    std::int64_t reports = 1;  // r
    Charge charge = Charge::kAbove;
    // Manual override of e0 = 1 / scale. If delta is 0 it is then computed,
    // else it must be met.
    double rate = 0;
  };
};
using MultiAboveThreshold = FreshNoiseBand<MultiAboveThresholdRule>;

}  // namespace sotto
