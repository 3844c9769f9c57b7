#include "sotto/base/rational.h"

#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include "sotto/base/int128.h"

namespace sotto {
namespace {

using Wide = Uint128;
constexpr int kMaxExponent = 400;

// Compares candidate with numerator/denominator exactly: -1, 0 or 1.
// Requires: candidate is a positive double between 2^-64 and 2^64.
int Compare(double candidate, std::uint64_t numerator,
            std::uint64_t denominator) {
  int exponent = 0;
  const double fraction = std::frexp(candidate, &exponent);
  const auto mantissa = static_cast<std::uint64_t>(std::ldexp(fraction, 53));
  int shift = exponent - 53;  // candidate = mantissa * 2^shift
  Wide left = Wide{mantissa} * denominator;
  Wide right = numerator;
  // left * 2^shift against right; move powers of two to whichever side has
  // room. left < 2^115, right < 2^63: at most 12 and 65 bits to spare.
  for (; shift > 0; --shift) {
    if (left >> 126 != 0) return 1;
    left <<= 1;
  }
  for (; shift < 0; ++shift) {
    if (right >> 126 != 0) return -1;
    right <<= 1;
  }
  return left < right ? -1 : (left > right ? 1 : 0);
}

struct Decimal {
  std::uint64_t digits = 0;
  int exponent = 0;  // value = digits * 10^exponent
};

std::optional<std::uint64_t> ParseDigits(std::string_view text) {
  if (text.empty()) return std::nullopt;
  std::uint64_t value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    if (value > (Rational::kMax - 9) / 10) return std::nullopt;
    value = value * 10 + static_cast<std::uint64_t>(c - '0');
  }
  return value;
}

std::optional<int> ParseExponent(std::string_view text) {
  bool negative = false;
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) {
    negative = text[0] == '-';
    text.remove_prefix(1);
  }
  const auto digits = ParseDigits(text);
  if (!digits || *digits > kMaxExponent) return std::nullopt;
  const int value = static_cast<int>(*digits);
  return negative ? -value : value;
}

std::optional<Decimal> ParseDecimal(std::string_view text) {
  Decimal decimal;
  if (const auto e = text.find_first_of("eE"); e != std::string_view::npos) {
    const auto exponent = ParseExponent(text.substr(e + 1));
    if (!exponent) return std::nullopt;
    decimal.exponent = *exponent;
    text = text.substr(0, e);
  }
  std::string digits(text);
  if (const auto dot = digits.find('.'); dot != std::string::npos) {
    decimal.exponent -= static_cast<int>(digits.size() - dot - 1);
    digits.erase(dot, 1);
  }
  while (digits.size() > 1 && digits.back() == '0') {
    digits.pop_back();
    ++decimal.exponent;
  }
  const auto value = ParseDigits(digits);
  if (!value) return std::nullopt;
  decimal.digits = *value;
  return decimal;
}

// Multiplies the numerator or the denominator by ten, cancelling what divides.
bool ScaleByTen(std::uint64_t& grow, std::uint64_t& shrink) {
  for (const std::uint64_t prime : {std::uint64_t{2}, std::uint64_t{5}}) {
    if (shrink % prime == 0) {
      shrink /= prime;
    } else if (grow > Rational::kMax / prime) {
      return false;
    } else {
      grow *= prime;
    }
  }
  return true;
}

Error BadNumber(std::string_view text) {
  return InvalidArgument("'" + std::string(text) +
                         "' is not a positive number of at most 18 digits, "
                         "like 3, 19.4, 2.5e-3 or 5/97");
}

}  // namespace

Result<Rational> Rational::Create(std::uint64_t numerator,
                                  std::uint64_t denominator) {
  if (numerator == 0 || denominator == 0) {
    return InvalidArgument("a rational parameter must be positive and finite");
  }
  const std::uint64_t divisor = std::gcd(numerator, denominator);
  numerator /= divisor;
  denominator /= divisor;
  if (numerator > kMax || denominator > kMax) {
    return InvalidArgument("a rational parameter needs more than 62 bits");
  }
  return Rational(numerator, denominator);
}

double Rational::ToDoubleDown() const {
  double value =
      static_cast<double>(numerator_) / static_cast<double>(denominator_);
  while (Compare(value, numerator_, denominator_) > 0) {
    value = std::nextafter(value, 0.0);
  }
  return value;
}

double Rational::ToDoubleUp() const {
  double value = ToDoubleDown();
  while (Compare(value, numerator_, denominator_) < 0) {
    value = std::nextafter(value, std::numeric_limits<double>::infinity());
  }
  return value;
}

std::string Rational::ToString() const {
  std::string text = std::to_string(numerator_);
  if (denominator_ != 1) text += "/" + std::to_string(denominator_);
  return text;
}

Result<Rational> ParseRational(std::string_view text) {
  if (const auto slash = text.find('/'); slash != std::string_view::npos) {
    const auto numerator = ParseDigits(text.substr(0, slash));
    const auto denominator = ParseDigits(text.substr(slash + 1));
    if (!numerator || !denominator) return BadNumber(text);
    return Rational::Create(*numerator, *denominator);
  }
  const auto decimal = ParseDecimal(text);
  if (!decimal || decimal->digits == 0) return BadNumber(text);
  std::uint64_t numerator = decimal->digits;
  std::uint64_t denominator = 1;
  for (int i = 0; i < decimal->exponent; ++i) {
    if (!ScaleByTen(numerator, denominator)) return BadNumber(text);
  }
  for (int i = 0; i > decimal->exponent; --i) {
    if (!ScaleByTen(denominator, numerator)) return BadNumber(text);
  }
  return Rational::Create(numerator, denominator);
}

Result<Rational> RationalBelow(double value) {
  if (!(value >= 0x1p-61 && value <= 0x1p61)) {
    return InvalidArgument("a rational parameter must lie in [2^-61, 2^61]");
  }
  int shift = 0;
  // Doubling is exact, so the loop finds the value's own denominator or the
  // last one that fits.
  while (shift < 61 && value != std::floor(value) && value < 0x1p60) {
    value *= 2;
    ++shift;
  }
  return Rational::Create(static_cast<std::uint64_t>(value),
                          std::uint64_t{1} << shift);
}

}  // namespace sotto
