#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sotto/base/int128.h"
#include "sotto/base/rational.h"
#include "sotto/base/result.h"
#include "sotto/random/rng.h"

namespace sotto {

// Chooses index i with probability proportional to e^(rate * scores[i]): the
// exponential mechanism, without Gumbel noise and without floating point.
//
//   auto choose = ExponentialSelection::Create(*Rational::Create(1, 8));
//   std::vector<std::int64_t> scores = {3, 17, 12};
//   std::size_t winner = choose->Select(scores, rng);
//
// For fractions with a common denominator D pass the numerators and rate / D.
//
// Paper:     [McSherryTalwar07] for the mechanism.
// Guarantee: Select: total-variation distance from the exact distribution at
//            most 2^-TotalVariationLog2(n) for n candidates, and work that
//            depends on n and rate alone. SelectExactly: the exact
//            distribution, in time that depends on the scores and on the
//            choice.
// Proof:     exponential_selection.md.
// Threads:   immutable; const calls may run at the same time.
class ExponentialSelection {
 public:
  // Fails with kInvalidArgument unless rate is in [2^-48, 64].
  static Result<ExponentialSelection> Create(const Rational& rate);

  // Requires: 1 <= scores.size() <= 2^24.
  std::size_t Select(std::span<const std::int64_t> scores, Rng& rng) const;

  // Requires: scores is not empty.
  std::size_t SelectExactly(std::span<const std::int64_t> scores,
                            Rng& rng) const;

  static int TotalVariationLog2(std::size_t candidates);

  // The integer weights Select uses: candidate i wins with probability
  // weights[i] / sum, up to 2^-128.
  std::vector<Uint128> Weights(std::span<const std::int64_t> scores) const;

 private:
  explicit ExponentialSelection(const Rational& rate);

  // 2^127 * e^(-rate * distance), rounded down.
  Uint128 Weight(std::uint64_t distance) const;

  Rational rate_;
  // powers_[j] = floor(2^128 * e^(-rate * 2^j)); the product of all of them
  // and one more is below what a weight can hold.
  std::vector<Uint128> powers_;
};

}  // namespace sotto
