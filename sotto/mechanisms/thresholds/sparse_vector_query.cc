#include "sotto/mechanisms/thresholds/sparse_vector_query.h"

#include <cmath>

#include "sotto/base/int128.h"
#include "sotto/mechanisms/thresholds/sparse_vector_limits.h"

namespace sotto {
namespace {

constexpr int kMantissaBits = 53;
constexpr int kWideBits = 126;

std::int64_t Saturated(bool negative) {
  return negative ? -kQueryLimit : kQueryLimit;
}

// floor(dividend / divisor). Requires divisor > 0.
Int128 FloorDivide(Int128 dividend, Int128 divisor) {
  const Int128 quotient = dividend / divisor;
  return quotient - (dividend % divisor < 0 ? 1 : 0);
}

}  // namespace

Result<RealQuery> RealQuery::Create(const Params& params) {
  const auto& s = params.sensitivity;
  const Uint128 numerator = s.numerator();
  const Uint128 denominator = s.denominator();
  if (numerator > denominator << 61 || numerator << 61 < denominator) {
    return InvalidArgument("the sensitivity must be in [2^-61, 2^61]");
  }
  return RealQuery(s);
}

// value = mantissa * 2^exponent, so value / (p / q) = mantissa q 2^exponent / p
// in integers.
std::int64_t RealQuery::Floor(double value) const {
  if (std::isnan(value)) return -kQueryLimit;
  if (std::isinf(value)) return Saturated(value < 0);
  int exponent = 0;
  const double fraction = std::frexp(value, &exponent);
  exponent -= kMantissaBits;
  const auto mantissa =
      static_cast<std::int64_t>(std::ldexp(fraction, kMantissaBits));
  Int128 dividend = Int128{mantissa} * sensitivity_.denominator();
  Int128 divisor = sensitivity_.numerator();
  if (mantissa == 0) return 0;
  if (exponent > 0) {
    // At 2^126 even the largest divisor, 2^62, leaves more than kQueryLimit.
    if (exponent >= kWideBits) return Saturated(mantissa < 0);
    const Int128 limit = Int128{1} << (kWideBits - exponent);
    if (dividend >= limit || dividend <= -limit) return Saturated(mantissa < 0);
    dividend *= Int128{1} << exponent;
  } else {
    // A divisor of 2^126 is more than any dividend, which is below 2^115.
    if (-exponent >= kWideBits) return mantissa < 0 ? -1 : 0;
    const Int128 limit = Int128{1} << (kWideBits + exponent);
    if (divisor >= limit) return mantissa < 0 ? -1 : 0;
    divisor *= Int128{1} << -exponent;
  }
  const Int128 quotient = FloorDivide(dividend, divisor);
  if (quotient > kQueryLimit || quotient < -kQueryLimit) {
    return Saturated(mantissa < 0);
  }
  return static_cast<std::int64_t>(quotient);
}

}  // namespace sotto
