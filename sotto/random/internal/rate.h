#pragma once

#include <cstdint>

#include "sotto/base/int128.h"
#include "sotto/base/rational.h"
#include "sotto/base/result.h"

namespace sotto::internal {

// Every sampler takes the same rates, [2^-48, 64]: scales from 1/64 up to
// 2.8e14, so that draws and intermediate products fit their types.
inline constexpr std::uint64_t kLargestRate = 64;
inline constexpr unsigned kSmallestRateLog2 = 48;

// Fails with kInvalidArgument unless rate is in [2^-48, 64].
inline Status CheckRate(const Rational& rate) {
  const Uint128 numerator = rate.numerator();
  const Uint128 denominator = rate.denominator();
  if (numerator > kLargestRate * denominator ||
      (numerator << kSmallestRateLog2) < denominator) {
    return InvalidArgument("rate " + rate.ToString() +
                           " is outside [2^-48, 64]");
  }
  return Ok();
}

// The least number of bits with rate * 2^bits >= cutoff: the rest has
// probability e^-cutoff. Requires: rate is in range, cutoff < 2^32.
inline unsigned BitsUpTo(std::uint64_t cutoff, const Rational& rate) {
  unsigned bits = 0;
  while ((Uint128{rate.numerator()} << bits) <
         Uint128{cutoff} * rate.denominator()) {
    ++bits;
  }
  return bits;
}

}  // namespace sotto::internal
