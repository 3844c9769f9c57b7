#pragma once

#include <optional>
#include <string>

#include "sotto/base/result.h"
#include "sotto/models/winnow/private_winnow.h"
#include "sotto/online/verdict.h"

namespace sotto {

// Plan of PrivateWinnow with these parameters, before any data: its constants,
// the proved bounds, the expected mistakes, and whether DP-FTRL would do
// better.
//
//   auto plan = PlanWinnow({.epsilon = 1, .delta = 1e-6, .features = 100,
//                           .margin = 0.5, .horizon = 300'000});
//   if (!plan) return plan.error();
//   std::cout << ToString(plan->verdict) << ": " << plan->advice;
//
// Expected numbers are fits to measured streams (docs/models/winnow.md): right
// within a factor of two on those, and not guaranteed. The proved bounds
// hold for streams with the stated margin whose every round is closed before
// the next is opened.
//
// Threads: a pure function.
struct WinnowPlan {
  PrivateWinnow::Params params;  // as asked, with what was chosen filled in
  Guarantee guarantee;
  WinnowNoise noise;
  // With probability 1 - failure, and in expectation. Absent where nothing
  // below T is proved.
  std::optional<double> mistakes_bound = std::nullopt;
  std::optional<double> mistakes_mean_bound = std::nullopt;
  double mistakes_expected = 0;
  double ftrl_expected = 0;
  Verdict verdict = Verdict::kHopeless;
  std::string advice;      // what would change the verdict
  std::string comparison;  // one line against DP-FTRL
};

// Returns true if at most one feature in 30 of an example is not 0, as stated:
// the streams on which cutting small weights off was measured.
bool HasRareNonzeros(const PrivateWinnow::Params& params);

// Fails where PrivateWinnow::Create does.
Result<WinnowPlan> PlanWinnow(const PrivateWinnow::Params& params);

}  // namespace sotto
