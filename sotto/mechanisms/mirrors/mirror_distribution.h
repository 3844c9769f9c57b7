#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "sotto/base/int128.h"
#include "sotto/base/result.h"
#include "sotto/random/rng.h"
#include "sotto/random/threshold_table.h"

namespace sotto {

// A distribution on {first, ..., last} whose probabilities are integers over
// 2^128. The numbers that are drawn and those that are certified are the same.
//
//   auto distribution = MirrorDistribution::Create(/*first=*/1, {1, 2, 1});
//   std::uint64_t length = distribution->Draw(rng);
//
// Proof:   mirror_distribution.md.
// Threads: immutable; const calls may run at the same time.
class MirrorDistribution {
 public:
  static constexpr std::size_t kMaxSize = 1 << 16;

  // Probabilities proportional to `weights`, rounded down; the largest takes
  // what is left. Fails with kInvalidArgument unless there are 2 to kMaxSize
  // weights, all positive after rounding.
  static Result<MirrorDistribution> Create(
      std::uint64_t first, const std::vector<long double>& weights);

  std::uint64_t Draw(Rng& rng) const { return first_ + table_.Draw(rng); }

  std::uint64_t first() const { return first_; }
  std::uint64_t last() const { return first_ + units_.size() - 1; }
  // Pr[value] in units of 2^-128; 0 outside [first, last].
  Uint128 Units(std::uint64_t value) const;
  // The same as a number, relative error at most 2^-63.
  long double Probability(std::uint64_t value) const;
  double Mean() const;
  // max Pr[k + 1] / Pr[k] over first <= k < last, rounded up.
  long double MaxGrowth() const;

 private:
  MirrorDistribution(std::uint64_t first, std::vector<Uint128> units);

  std::uint64_t first_;
  std::vector<Uint128> units_;
  ThresholdTable table_;
};

// A distribution that rises as fast as it may and then falls as fast as it may:
// among all that obey the same limits, the one that ends soonest.
//
//   rise   p(k + 1) <= min(growth * A(k) + addend, cap * p(k)),
//          A(k) = p(k) + memory * A(k - 1), p(1) = start
//   fall   p(k + 1) = decay * p(k) down to the first value <= end;
//          decay 0 ends the distribution at its peak
struct MirrorHump {
  long double start = 0;
  long double growth = 1;
  long double memory = 0;
  long double addend = 0;
  long double cap = 0;
  long double decay = 0;
  long double end = 0;
};

// Returns weights that sum to 1 up to rounding. Returns none if the
// distribution does not rise enough to end within MirrorDistribution::kMaxSize
// values, and more than those if it falls too slowly.
std::vector<long double> HumpWeights(const MirrorHump& hump);
// The mean of that distribution on {1, 2, ...}, up to a relative 1e-9, without
// making it: for searches. Infinite if there is none, or none as short as a
// MirrorDistribution.
double HumpMean(const MirrorHump& hump);

// A number at most e^x, closer than 4e-16 relative.
double ExpDown(double x);

// The roundings counted in mirror_distribution.md are of 2^-64.
static_assert(std::numeric_limits<long double>::digits >= 64);
// Covers what long doubles round off in the certificates of this folder: sums
// of at most 2^17 terms, each below 1 and right to 2^-61, that add up to at
// most 4.
inline constexpr double kMirrorRoundOff = 0x1p-58;
// And what the additions of such a sum round off, relative to it: 2^17 of them
// and as many products, each right to 2^-64.
inline constexpr double kMirrorSumsUp = 1 + 0x1p-46;

// Part of `delta` that a design may spend so that its certificate, rounded up,
// stays below.
inline long double MirrorDesignDelta(double delta) {
  return delta * (1 - 1e-9L) - 4 * kMirrorRoundOff;
}

}  // namespace sotto
