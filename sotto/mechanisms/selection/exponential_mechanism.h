#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "sotto/accounting/guarantee.h"
#include "sotto/base/rational.h"
#include "sotto/base/result.h"
#include "sotto/mechanisms/selection/selection_params.h"
#include "sotto/random/exponential_selection.h"
#include "sotto/random/rng.h"

namespace sotto {

// Chooses a candidate with probability proportional to e^(rate * score).
//
//   auto choose = ExponentialMechanism::Create({.epsilon = 1,
//                                               .candidates = 3});
//   if (!choose) return choose.error();
//   auto winner = choose->Select(scores, rng);
//
// PermuteAndFlip loses less at the same epsilon (selection.h). The advantages
// of this one: a known distribution to sample from, and a cheaper composition
// (zcdp()).
//
// Paper:     [McSherryTalwar07]; [Winnow] Proposition 3, [Littlestone].
// Guarantee: epsilon-DP, and the sampler's slack.
// Proof:     exponential_mechanism.md.
// Threads:   immutable; const calls may run at the same time.
class ExponentialMechanism {
 public:
  using Params = SelectionParams;

  // Fails where SelectionRate does.
  static Result<ExponentialMechanism> Create(const Params& params);

  // Work depends on the number of candidates alone. Fails with kInvalidArgument
  // if there are not as many scores as candidates, which is public.
  Result<std::size_t> Select(std::span<const std::int64_t> scores,
                             Rng& rng) const;
  // Draws from the exact distribution, in time that depends on the scores.
  Result<std::size_t> SelectExactly(std::span<const std::int64_t> scores,
                                    Rng& rng) const;

  // The least t such that, whatever the scores, the score chosen is less than
  // the best minus t with probability at most `failure`, in (0, 1).
  std::int64_t LossBound(double failure) const;

  // Its cost when composed: epsilon^2 / 8, a quarter of what epsilon-DP alone
  // would give.
  Zcdp zcdp() const;
  const Rational& rate() const { return rate_; }
  const Guarantee& guarantee() const { return guarantee_; }

 private:
  ExponentialMechanism(const Params& params, const Rational& rate,
                       ExponentialSelection selection, Guarantee guarantee)
      : params_(params),
        rate_(rate),
        selection_(std::move(selection)),
        guarantee_(std::move(guarantee)) {}

  Params params_;
  Rational rate_;
  ExponentialSelection selection_;
  Guarantee guarantee_;
};

}  // namespace sotto
