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

// Chooses a candidate by its score: in random order each one is taken with
// probability e^(-rate * (best score - its score)), and the first taken wins.
//
//   auto choose = PermuteAndFlip::Create({.epsilon = 1, .candidates = 3});
//   if (!choose) return choose.error();
//   auto winner = choose->Select(scores, rng);
//
// Tosses all coins and draws one of the heads: the same distribution in fixed
// work. Never loses more than ExponentialMechanism with the same epsilon, up
// to half as much.
//
// Paper:     [McKennaSheldon20] Algorithm 1.
// Guarantee: epsilon-DP, and the sampler's slack.
// Proof:     permute_and_flip.md.
// Threads:   immutable; const calls may run at the same time.
class PermuteAndFlip {
 public:
  using Params = SelectionParams;

  // Fails where SelectionRate does.
  static Result<PermuteAndFlip> Create(const Params& params);

  // Work depends on the number of candidates alone. Fails with kInvalidArgument
  // if there are not as many scores as candidates, which is public.
  Result<std::size_t> Select(std::span<const std::int64_t> scores,
                             Rng& rng) const;

  // The least t such that, whatever the scores, the score chosen is less than
  // the best minus t with probability at most `failure`, in (0, 1).
  std::int64_t LossBound(double failure) const;

  const Rational& rate() const { return rate_; }
  const Guarantee& guarantee() const { return guarantee_; }

 private:
  PermuteAndFlip(const Params& params, const Rational& rate,
                 ExponentialSelection weights, Guarantee guarantee)
      : params_(params),
        rate_(rate),
        weights_(std::move(weights)),
        guarantee_(std::move(guarantee)) {}

  Params params_;
  Rational rate_;
  ExponentialSelection weights_;
  Guarantee guarantee_;
};

}  // namespace sotto
