#include "sotto/data/streams/decimal.h"

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <system_error>

#include "sotto/base/int128.h"

namespace sotto {
namespace {

constexpr int kMantissaBits = 53;
constexpr std::ptrdiff_t kMaxDigits = 19;  // 10^19 - 1 < 2^64

// g++ 12 returns the type of the argument.
constexpr int Width(std::uint64_t number) {
  return static_cast<int>(std::bit_width(number));
}

// 5^e, its length in bits, and floor(2^(63 + bits) / 5^e), which has 64 bits.
struct Power {
  std::uint64_t five = 1;
  int bits = 1;
  std::uint64_t reciprocal = 0;  // unused for e = 0
};

constexpr std::array<Power, kMaxPlaces + 1> MakePowers() {
  std::array<Power, kMaxPlaces + 1> powers{};
  for (std::size_t e = 1; e < powers.size(); ++e) {
    powers[e].five = powers[e - 1].five * 5;
    powers[e].bits = Width(powers[e].five);
    powers[e].reciprocal = static_cast<std::uint64_t>(
        (Uint128{1} << (63 + powers[e].bits)) / powers[e].five);
  }
  return powers;
}
constexpr auto kPowers = MakePowers();

// A double of 53 bits times a power of two. A mantissa that was rounded up to
// 2^53 carries into the exponent, as it should.
double Assemble(std::uint64_t mantissa, int exponent) {
  const auto biased = static_cast<std::uint64_t>(exponent + 52 + 1023);
  return std::bit_cast<double>((biased << 52) +
                               (mantissa - (std::uint64_t{1} << 52)));
}

// Long division, rounded to nearest, ties to even: for the few quotients whose
// rounding the first bits do not decide.
[[gnu::noinline]] double DivideExactly(std::uint64_t w, const Power& power,
                                       int scale) {
  const Uint128 numerator = Uint128{w} << (power.bits - 1);
  const auto quotient = static_cast<std::uint64_t>(numerator / power.five);
  const bool sticky = numerator % power.five != 0;
  const int drop = Width(quotient) - kMantissaBits;
  const std::uint64_t half = std::uint64_t{1} << (drop - 1);
  const std::uint64_t rest = quotient & (2 * half - 1);
  const std::uint64_t kept = quotient >> drop;
  const bool up = rest > half || (rest == half && (sticky || (kept & 1) != 0));
  return Assemble(kept + (up ? 1 : 0), drop + scale);
}

// With w = digits moved up until bit 63 is set, f = 5^places of b bits and
// Q = w 2^(b-1) / f in (2^62, 2^64): the result is Q rounded, times a power of
// two. The product with the reciprocal gives an integer h with h <= Q < h + 2
// (the reciprocal is short by less than 1, which w < 2^64 makes less than one
// unit of h; cutting off loses less than another). So if the bits that will be
// dropped from h are neither just below one half nor one half, Q rounds as h
// does; in the other two cases of 1,024 or more the division is done exactly.
[[gnu::always_inline]] inline double Scale(std::uint64_t digits, int places) {
  if (places == 0 || digits == 0) return static_cast<double>(digits);
  const Power& power = kPowers[static_cast<std::size_t>(places)];
  const int shift = std::countl_zero(digits);
  const std::uint64_t w = digits << shift;
  const std::uint64_t quotient = High64(Uint128{w} * power.reciprocal);
  const int scale = -(power.bits - 1) - shift - places;
  const int drop = Width(quotient) - kMantissaBits;
  const std::uint64_t half = std::uint64_t{1} << (drop - 1);
  const std::uint64_t rest = quotient & (2 * half - 1);
  if (rest - (half - 1) <= 1) [[unlikely]] {
    return DivideExactly(w, power, scale);
  }
  return Assemble((quotient + half) >> drop, drop + scale);
}

bool IsDigit(char c) { return static_cast<unsigned char>(c - '0') < 10; }

// Eight digits, one in each byte, the first in the lowest, as a number.
[[gnu::always_inline]] inline std::uint64_t EightDigits(std::uint64_t v) {
  v = (v * 10 + (v >> 8)) & 0x00FF00FF00FF00FF;  // pairs
  v = (v * 100 + (v >> 16)) & 0x0000FFFF0000FFFF;
  return (v * 10000 + (v >> 32)) & 0xFFFFFFFF;
}

// Takes the digits at `at` into `number`. It may overflow: the caller counts
// the digits and then starts again.
[[gnu::always_inline]] inline const char* Digits(const char* at,
                                                 const char* end,
                                                 std::uint64_t& number) {
  constexpr std::array<std::uint64_t, 8> kTens = {
      1, 10, 100, 1000, 10'000, 100'000, 1'000'000, 10'000'000};
  constexpr bool kLittle = std::endian::native == std::endian::little;
  while (kLittle && end - at >= 8) {
    std::uint64_t v = 0;
    std::memcpy(&v, at, 8);
    v ^= 0x3030303030303030;
    // The lowest bit that is set belongs to the first byte above 9; a carry can
    // only spoil those behind it.
    const std::uint64_t others =
        ((v + 0x7676767676767676) | v) & 0x8080808080808080;
    if (others == 0) {
      number = number * 100'000'000 + EightDigits(v);
      at += 8;
      continue;
    }
    const int count = std::countr_zero(others) >> 3;
    if (count == 0) return at;
    // Zeros in front make it eight.
    number = number * kTens[static_cast<std::size_t>(count)] +
             EightDigits(v << (64 - 8 * count));
    return at + count;
  }
  for (; at != end && IsDigit(*at); ++at) {
    number = number * 10 + static_cast<std::uint64_t>(*at - '0');
  }
  return at;
}

const char* ParseAny(const char* begin, const char* end, double& value) {
  const auto [stop, error] = std::from_chars(begin, end, value);
  return error == std::errc{} && std::isfinite(value) ? stop : nullptr;
}

}  // namespace

double ScaledDecimal(std::uint64_t digits, int places) {
  return Scale(digits, places);
}

const char* ParseDecimal(const char* begin, const char* end, double& value) {
  const char* at = begin;
  const bool negative = at != end && *at == '-';
  if (at != end && (*at == '-' || *at == '+')) ++at;
  const char* const start = at;
  std::uint64_t number = 0;
  // Few digits as a rule, so one by one.
  for (; at != end && IsDigit(*at); ++at) {
    number = number * 10 + static_cast<std::uint64_t>(*at - '0');
  }
  std::ptrdiff_t digits = at - start;
  std::ptrdiff_t places = 0;
  if (at != end && *at == '.') {
    const char* const fraction = ++at;
    at = Digits(at, end, number);
    places = at - fraction;
    digits += places;
  }
  if (digits == 0) return nullptr;
  const bool plain = at == end || (*at != 'e' && *at != 'E');
  if (!plain || digits > kMaxDigits) {
    at = ParseAny(start, end, value);
    if (negative) value = -value;
    return at;
  }
  value = Scale(number, static_cast<int>(places));
  if (negative) value = -value;
  return at;
}

bool ParseDecimal(std::string_view text, double& value) {
  const char* const end = text.data() + text.size();
  return !text.empty() && ParseDecimal(text.data(), end, value) == end;
}

bool SpellsNotFinite(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || end != text.data() + text.size()) return false;
  return error == std::errc::result_out_of_range ||
         (error == std::errc{} && !std::isfinite(value));
}

}  // namespace sotto
