#include "sotto/random/exponential_selection.h"

#include <algorithm>
#include <bit>
#include <cassert>

#include "sotto/random/exact_samplers.h"
#include "sotto/random/internal/rate.h"
#include "sotto/random/internal/real.h"
#include "sotto/random/noise_observer.h"

namespace sotto {
namespace {

// e^-88 < 2^-126: below half a unit of every weight
// (exponential_selection.md, step 2).
constexpr std::uint64_t kCutoff = 88;
// Bits of a weight, and of the sum of all (exponential_selection.md, step 3).
constexpr int kLargestWeightBits = 116;
constexpr int kSumBits = 126;

int CeilLog2(std::size_t n) { return static_cast<int>(std::bit_width(n - 1)); }

int WeightBits(std::size_t candidates) {
  return std::min(kLargestWeightBits, kSumBits - CeilLog2(candidates));
}

// All ones if the condition holds: a choice without a branch.
Uint128 Mask(bool condition) { return -Uint128{condition}; }

// The upper half of a 256-bit product.
Uint128 MultiplyHigh(Uint128 a, Uint128 b) {
  const Uint128 low = Uint128{Low64(a)} * Low64(b);
  const Uint128 cross1 = Uint128{High64(a)} * Low64(b) + High64(low);
  const Uint128 cross2 = Uint128{Low64(a)} * High64(b) + Low64(cross1);
  return Uint128{High64(a)} * High64(b) + High64(cross1) + High64(cross2);
}

Uint128 NextWide(Rng& rng) {
  const Uint128 high = rng.Next();
  return (high << 64) | rng.Next();
}

// floor(total * V / 2^256) for V uniform below 2^256
// (exponential_selection.md, step 4).
Uint128 AlmostUniformBelow(Uint128 total, Rng& rng) {
  const Uint128 v_high = NextWide(rng);
  const Uint128 v_low = NextWide(rng);
  const Uint128 middle = total * v_high;  // The lower half of that product.
  const Uint128 sum = middle + MultiplyHigh(total, v_low);
  return MultiplyHigh(total, v_high) + Uint128{sum < middle};
}

}  // namespace

Result<ExponentialSelection> ExponentialSelection::Create(
    const Rational& rate) {
  SOTTO_TRY(internal::CheckRate(rate));
  return ExponentialSelection(rate);
}

ExponentialSelection::ExponentialSelection(const Rational& rate) : rate_(rate) {
  const internal::Real exact_rate(rate);
  const unsigned bits = internal::BitsUpTo(kCutoff, rate);
  for (unsigned j = 0; j < bits; ++j) {
    const internal::Real factor(std::uint64_t{1} << j);
    powers_.push_back(ExpOfMinus(exact_rate * factor).Floor128());
  }
}

Uint128 ExponentialSelection::Weight(std::uint64_t distance) const {
  Uint128 weight = Uint128{1} << 127;
  for (std::size_t j = 0; j < powers_.size(); ++j) {
    const Uint128 product = MultiplyHigh(weight, powers_[j]);
    const Uint128 taken = Mask(((distance >> j) & 1) != 0);
    weight = (product & taken) | (weight & ~taken);
  }
  return weight & Mask((distance >> powers_.size()) == 0);
}

std::vector<Uint128> ExponentialSelection::Weights(
    std::span<const std::int64_t> scores) const {
  assert(!scores.empty());
  const int drop = 127 - WeightBits(scores.size());
  std::int64_t best = scores[0];
  for (const std::int64_t score : scores) best = std::max(best, score);
  std::vector<Uint128> weights;
  weights.reserve(scores.size());
  for (const std::int64_t score : scores) {
    // Unsigned, so that no difference overflows.
    const auto distance =
        static_cast<std::uint64_t>(best) - static_cast<std::uint64_t>(score);
    weights.push_back(Weight(distance) >> drop);
  }
  return weights;
}

std::size_t ExponentialSelection::Select(std::span<const std::int64_t> scores,
                                         Rng& rng) const {
  ReportSelection(rng, rate_, scores.size());
  const std::vector<Uint128> weights = Weights(scores);
  Uint128 total = 0;
  for (const Uint128 weight : weights) total += weight;
  const Uint128 target = AlmostUniformBelow(total, rng);
  Uint128 cumulative = 0;
  std::size_t index = 0;
  for (const Uint128 weight : weights) {
    cumulative += weight;
    index += static_cast<std::size_t>(cumulative <= target);
  }
  return index;
}

std::size_t ExponentialSelection::SelectExactly(
    std::span<const std::int64_t> scores, Rng& rng) const {
  assert(!scores.empty());
  const std::int64_t best = *std::ranges::max_element(scores);
  for (;;) {
    const auto i = static_cast<std::size_t>(UniformBelow(scores.size(), rng));
    const auto distance = static_cast<std::uint64_t>(best) -
                          static_cast<std::uint64_t>(scores[i]);
    // At most 2^62 * 2^64.
    const Uint128 exponent = Uint128{rate_.numerator()} * distance;
    if (BernoulliExp(exponent, rate_.denominator(), rng)) return i;
  }
}

int ExponentialSelection::TotalVariationLog2(std::size_t candidates) {
  return WeightBits(candidates) - CeilLog2(candidates) - 2;
}

}  // namespace sotto
