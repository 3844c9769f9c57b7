#pragma once

#include <cstdint>
#include <utility>

#include "sotto/accounting/guarantee.h"
#include "sotto/base/result.h"
#include "sotto/mechanisms/mirrors/mirror_distribution.h"
#include "sotto/random/rng.h"

namespace sotto {

// A RandomStep with a separate budget for each of its two directions: hidden
// one over hidden zero, and the reverse. Where a round is replaced, a one
// leaves one mirror and enters another, and only the sum matters: a steep rise
// and a slow fall end far sooner than a symmetric distribution.
//
//   auto step = LopsidedStep::Create({.one_over_zero = {0.75, 2.5e-7},
//                                     .zero_over_one = {0.025, 2.5e-7}});
//   if (!step) return step.error();
//   std::uint64_t bottoms = step->Draw(rng);  // ones answered "bottom"
//
// Paper:     [Counters] appendix B states the problem; the mechanism is
//            RandomStep's.
// Guarantee: certified(), in the two directions, as RandomStep's.
// Proof:     lopsided_step.md.
// Threads:   immutable; const calls may run at the same time.
class LopsidedStep {
 public:
  struct Budgets {
    ApproximateDp one_over_zero;
    ApproximateDp zero_over_one;
    friend bool operator==(const Budgets&, const Budgets&) = default;
  };

  // Fails with kInvalidArgument unless both epsilons are in (0, 10], both
  // deltas in [1e-12, 0.1], and the distribution ends within
  // MirrorDistribution::kMaxSize values: one_over_zero needs an epsilon above
  // about ln 2.
  static Result<LopsidedStep> Create(const Budgets& budgets);

  // At least 1: the first one is surely "bottom".
  std::uint64_t Draw(Rng& rng) const { return distribution_.Draw(rng); }

  double expected_mistakes() const { return distribution_.Mean(); }
  std::uint64_t worst_mistakes() const { return distribution_.last(); }
  const MirrorDistribution& distribution() const { return distribution_; }
  const Budgets& certified() const { return certified_; }

 private:
  LopsidedStep(MirrorDistribution distribution, const Budgets& certified)
      : distribution_(std::move(distribution)), certified_(certified) {}

  MirrorDistribution distribution_;
  Budgets certified_;
};

}  // namespace sotto
