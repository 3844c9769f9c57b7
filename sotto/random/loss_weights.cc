#include "sotto/random/loss_weights.h"

#include "sotto/random/internal/rate.h"
#include "sotto/random/internal/real.h"

namespace sotto {
namespace {

constexpr int kMinBits = 40;
constexpr unsigned kSmallestRateLog2 = 16;

// At least 2^64 e^-rate, and less than 3 above it (loss_weights.md, step 1).
std::uint64_t FactorAbove(const Rational& rate) {
  const internal::Real exact = ExpOfMinus(internal::Real(rate));
  return High64(exact.Floor128()) + 2;
}

// ceil(weight * factor / 2^64).
Uint128 NextWeight(Uint128 weight, std::uint64_t factor) {
  const Uint128 low = Uint128{Low64(weight)} * factor;
  return Uint128{High64(weight)} * factor + High64(low) +
         Uint128{Low64(low) != 0};
}

}  // namespace

Result<LossWeights> LossWeights::Create(const Rational& rate, int bits) {
  SOTTO_TRY(internal::CheckRate(rate));
  if ((Uint128{rate.numerator()} << kSmallestRateLog2) < rate.denominator()) {
    return InvalidArgument("rate " + rate.ToString() + " is below 2^-16");
  }
  if (bits < kMinBits || bits > kMaxBits) {
    return InvalidArgument("weights have from 40 to 110 bits");
  }
  const std::uint64_t factor = FactorAbove(rate);
  std::vector<Uint128> table = {Uint128{1} << bits};
  for (;;) {
    const Uint128 next = NextWeight(table.back(), factor);
    if (next == table.back()) return LossWeights(std::move(table));
    table.push_back(next);
  }
}

}  // namespace sotto
