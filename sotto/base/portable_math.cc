#include "sotto/base/portable_math.h"

#include <cmath>
#include <limits>
#include <numbers>

#include "sotto/base/ieee.h"

namespace sotto {
namespace {

// ln 2 in two parts. The first has 33 bits: its product with an exponent is
// exact.
constexpr double kLn2Top = 0x1.62e42fefp-1;
constexpr double kLn2Rest = 0x1.473de6af278edp-34;

constexpr double kOverflow = 709.79;
constexpr double kUnderflow = -745.14;

// (r / 2) coth(r / 2), whose coefficients are Bernoulli numbers over
// factorials. For |r| <= ln(2) / 2 the first one left out adds 5e-18.
double HalfCoth(double r) {
  const double s = r * r;
  double sum = -691.0 / 1307674368000.0;
  sum = sum * s + 1.0 / 47900160;
  sum = sum * s - 1.0 / 1209600;
  sum = sum * s + 1.0 / 30240;
  sum = sum * s - 1.0 / 720;
  sum = sum * s + 1.0 / 12;
  return sum * s + 1;
}

}  // namespace

double PortableExp(double x) {
  if (std::isnan(x)) return x;
  if (x > kOverflow) return std::numeric_limits<double>::infinity();
  if (x < kUnderflow) return 0;
  const double k = std::floor(x * std::numbers::log2e + 0.5);
  const double r = (x - k * kLn2Top) - k * kLn2Rest;
  // e^r = (c + r/2) / (c - r/2) with c as above.
  return std::ldexp(1 + r / (HalfCoth(r) - r / 2), static_cast<int>(k));
}

double PortableLog(double x) {
  if (x < 0) return std::numeric_limits<double>::quiet_NaN();
  if (x == 0) return -std::numeric_limits<double>::infinity();
  if (!std::isfinite(x)) return x;
  int exponent = 0;
  double part = std::frexp(x, &exponent);
  if (part < std::numbers::sqrt2 / 2) {
    part *= 2;
    --exponent;
  }
  // ln((1 + s) / (1 - s)) = 2 (s + s^3/3 + s^5/5 + ...), |s| < 0.172.
  const double s = (part - 1) / (part + 1);
  const double square = s * s;
  double sum = 0;
  for (int n = 21; n >= 3; n -= 2) sum = (sum + 1.0 / n) * square;
  return exponent * kLn2Top + (exponent * kLn2Rest + 2 * (s + s * sum));
}

}  // namespace sotto
