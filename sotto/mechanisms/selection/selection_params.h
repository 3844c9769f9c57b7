#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sotto/accounting/guarantee.h"
#include "sotto/base/rational.h"
#include "sotto/base/result.h"
#include "sotto/random/rng.h"

namespace sotto {

// Shared by the ways of choosing one of `candidates` by integer scores:
// ExponentialMechanism, PermuteAndFlip and Selection, which picks one.
//
// Proof:   exponential_mechanism.md, steps 1 and 5.
// Threads: a value type and pure functions.
struct SelectionParams {
  double epsilon = 0;
  std::int64_t sensitivity = 1;  // how far one record moves any one score
  std::size_t candidates = 0;    // public, and the same on all data
  // A record that is added moves all scores the same way, all up or all down
  // (scores may stay). Counts do so, and counts of errors. The same noise then
  // buys twice the epsilon, for add-remove.
  bool monotone = false;
};

// The largest rate r, not above epsilon / sensitivity (monotone) or
// epsilon / (2 sensitivity), that a sampler can be given exactly. Fails with
// kInvalidArgument unless epsilon is in (0, 16], sensitivity in [1, 2^40],
// candidates in [1, 2^24] and the rate at least 2^-48.
Result<Rational> SelectionRate(const SelectionParams& params);

// Returns the scores, or those that a replay substitutes for them
// (Rng::Private), which are kept in `others`.
std::span<const std::int64_t> WatchedScores(
    const SelectionParams& params, std::span<const std::int64_t> scores,
    Rng& rng, std::vector<std::int64_t>& others);

// The guarantee: epsilon, and as delta the cost of the sampler's distance from
// the exact distribution. Add-remove for monotone scores; for others every
// relation under which no score moves by more than the sensitivity.
Result<Guarantee> SelectionGuarantee(const SelectionParams& params);

// (1 + e^epsilon) * distance, rounded up: the delta that a sampler adds if it
// is within total-variation distance `distance` of the distribution in the
// proof.
double BothWorldsSlack(double epsilon, double distance);

// The least t >= 0 with tail(e^(-rate (t + 1))) <= failure, for a tail that
// does not decrease: Pr[loss > t] as a function of the weight of what loses
// t + 1. Requires failure > 0 and tail(0) = 0.
template <typename Tail>
std::int64_t LeastLoss(double rate, double failure, const Tail& tail) {
  const auto enough = [&](std::int64_t t) {
    return tail(std::exp(-rate * (static_cast<double>(t) + 1))) <= failure;
  };
  constexpr std::int64_t kFar = std::int64_t{1} << 60;
  std::int64_t high = 1;
  while (high < kFar && !enough(high - 1)) high *= 2;
  std::int64_t low = high / 2 - 1;  // not enough, or -1
  high -= 1;
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    (enough(middle) ? high : low) = middle;
  }
  return high;
}

}  // namespace sotto
