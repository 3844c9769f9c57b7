#include "sotto/random/exact_samplers.h"

#include <bit>
#include <cassert>

#include "sotto/random/internal/rate.h"

namespace sotto {
namespace {

constexpr std::uint64_t kLargestGaussianPart = std::uint64_t{1} << 55;
constexpr unsigned kLargestVarianceLog2 = 40;
// Proposals beyond this many scales are refused (exact_samplers.md, step 6).
constexpr std::uint64_t kGaussianReach = 64;

unsigned BitWidth(Uint128 value) {
  const auto high = High64(value);
  return static_cast<unsigned>(high != 0 ? 64 + std::bit_width(high)
                                         : std::bit_width(Low64(value)));
}

std::uint64_t LowBits(std::uint64_t word, unsigned bits) {
  return bits >= 64 ? word : word & ((std::uint64_t{1} << bits) - 1);
}

std::uint64_t FloorSquareRoot(std::uint64_t value) {
  std::uint64_t root = 0;
  for (std::uint64_t bit = std::uint64_t{1} << 31; bit != 0; bit >>= 1) {
    const std::uint64_t trial = root | bit;
    if (trial * trial <= value) root = trial;
  }
  return root;
}

}  // namespace

Uint128 UniformBelow(Uint128 n, Rng& rng) {
  assert(n >= 1);
  const unsigned bits = BitWidth(n - 1);
  if (bits == 0) return 0;
  for (;;) {
    Uint128 candidate = LowBits(rng.Next(), bits);
    if (bits > 64) candidate |= Uint128{LowBits(rng.Next(), bits - 64)} << 64;
    if (candidate < n) return candidate;
  }
}

bool Bernoulli(Uint128 numerator, Uint128 denominator, Rng& rng) {
  assert(numerator <= denominator);
  return UniformBelow(denominator, rng) < numerator;
}

namespace {

// 1 with probability e^(-numerator / denominator), numerator <= denominator:
// the parity of the first failure of Bernoulli(f / k), k = 1, 2, ..., where
// f / k is drawn as f and 1 / k, so that no product can overflow
// (exact_samplers.md, step 2).
bool BernoulliExpOfFraction(Uint128 numerator, Uint128 denominator, Rng& rng) {
  std::uint64_t k = 1;
  while (Bernoulli(numerator, denominator, rng) && Bernoulli(1, k, rng)) ++k;
  return k % 2 == 1;
}

}  // namespace

bool BernoulliExp(Uint128 numerator, Uint128 denominator, Rng& rng) {
  // e^-(i + f) = (e^-1)^i * e^-f (exact_samplers.md, step 3).
  for (Uint128 whole = numerator / denominator; whole > 0; --whole) {
    if (!BernoulliExpOfFraction(1, 1, rng)) return false;
  }
  return BernoulliExpOfFraction(numerator % denominator, denominator, rng);
}

Result<ExactGeometric> ExactGeometric::Create(const Rational& rate) {
  SOTTO_TRY(internal::CheckRate(rate));
  return ExactGeometric(rate);
}

std::int64_t ExactGeometric::Sample(Rng& rng) const {
  // X = U + denominator * V is geometric with rate 1 / denominator, and
  // floor(X / numerator) the one wanted (exact_samplers.md, step 4).
  const Uint128 denominator = rate_.denominator();
  Uint128 remainder = UniformBelow(denominator, rng);
  while (!BernoulliExpOfFraction(remainder, denominator, rng)) {
    remainder = UniformBelow(denominator, rng);
  }
  // The bound keeps the result below 2^48 * 2^14 = 2^62.
  constexpr std::uint64_t kReach = (std::uint64_t{1} << 14) - 1;
  std::uint64_t whole = 0;
  while (whole < kReach && BernoulliExpOfFraction(1, 1, rng)) ++whole;
  return static_cast<std::int64_t>((remainder + denominator * whole) /
                                   rate_.numerator());
}

Result<ExactLaplace> ExactLaplace::Create(const Rational& inverse_scale) {
  SOTTO_TRY_ASSIGN(auto magnitude, ExactGeometric::Create(inverse_scale));
  return ExactLaplace(magnitude);
}

std::int64_t ExactLaplace::Sample(Rng& rng) const {
  for (;;) {
    const bool negative = (rng.Next() & 1) != 0;
    const std::int64_t magnitude = magnitude_.Sample(rng);
    // Without this, zero would be drawn twice as often.
    if (negative && magnitude == 0) continue;
    return negative ? -magnitude : magnitude;
  }
}

Result<ExactGaussian> ExactGaussian::Create(const Rational& variance) {
  const std::uint64_t p = variance.numerator();
  const std::uint64_t q = variance.denominator();
  if (p > kLargestGaussianPart || q > kLargestGaussianPart ||
      (p / q) >> kLargestVarianceLog2 != 0) {
    return InvalidArgument("variance " + variance.ToString() +
                           " is too large or too finely divided");
  }
  const std::uint64_t scale = FloorSquareRoot(p / q) + 1;
  SOTTO_TRY_ASSIGN(auto inverse_scale, Rational::Create(1, scale));
  SOTTO_TRY_ASSIGN(auto proposal, ExactLaplace::Create(inverse_scale));
  return ExactGaussian(variance, scale, proposal);
}

// With probability e^(-(y - sigma^2 / t)^2 / (2 sigma^2)), which over
// sigma^2 = p / q is e^(-(y q t - p)^2 / (2 p q t^2)).
bool ExactGaussian::Accept(std::uint64_t magnitude, Rng& rng) const {
  if (magnitude > kGaussianReach * scale_) return false;
  const Uint128 p = variance_.numerator();
  const Uint128 qt = Uint128{variance_.denominator()} * scale_;
  const Uint128 product = magnitude * qt;
  const Uint128 distance = product > p ? product - p : p - product;
  return BernoulliExp(distance * distance, 2 * p * qt * scale_, rng);
}

std::int64_t ExactGaussian::Sample(Rng& rng) const {
  for (;;) {
    const std::int64_t proposal = proposal_.Sample(rng);
    const auto magnitude =
        static_cast<std::uint64_t>(proposal < 0 ? -proposal : proposal);
    if (Accept(magnitude, rng)) return proposal;
  }
}

}  // namespace sotto
