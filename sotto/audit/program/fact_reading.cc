#include "sotto/audit/program/fact_reading.h"

#include <algorithm>
#include <bit>
#include <cctype>
#include <charconv>
#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

namespace sotto {
namespace {

using Kind = FactReading::Kind;

constexpr int kSignificand = 53;
constexpr double kLargestInteger = 9007199254740992;  // 2^53

bool IsDigit(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

// FNV-1a, 53 bits of it: exact as a double.
double Hash(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  }
  return static_cast<double>(hash >> (64 - kSignificand));
}

std::optional<double> Remainder(double number, int divisor) {
  if (number != std::floor(number)) return std::nullopt;
  if (std::abs(number) > kLargestInteger) return std::nullopt;
  const double rest = std::fmod(number, divisor);
  return rest < 0 ? rest + divisor : rest;
}

std::optional<double> LastDigit(std::string_view text) {
  const std::size_t end = std::min(text.find_first_of("eE"), text.size());
  if (end == 0 || !IsDigit(text[end - 1])) return std::nullopt;
  return text[end - 1] - '0';
}

// The parity of the digit at a decimal place, by the text: no rounding.
std::optional<double> DecimalParity(std::string_view text, int place) {
  if (text.find_first_of("eE") != std::string_view::npos) return std::nullopt;
  const std::size_t point = text.find('.');
  if (point == std::string_view::npos) return std::nullopt;
  const std::size_t at = point + static_cast<std::size_t>(place);
  return at < text.size() ? (text[at] - '0') % 2 : 0;
}

// The significand as an integer of 53 bits. Absent for 0.
std::optional<std::uint64_t> Significand(double number) {
  if (number == 0 || !std::isfinite(number)) return std::nullopt;
  int exponent = 0;
  const double fraction = std::frexp(std::abs(number), &exponent);
  return static_cast<std::uint64_t>(std::ldexp(fraction, kSignificand));
}

// The least k such that number * 2^k is an integer.
double FractionDigits(double number) {
  const auto bits = Significand(number);
  if (!bits) return 0;
  int exponent = 0;
  std::frexp(number, &exponent);
  return std::max(0, kSignificand - exponent - std::countr_zero(*bits));
}

std::vector<FactReading> AllReadings() {
  std::vector<FactReading> all = {{Kind::kText},
                                  {Kind::kNumber},
                                  {Kind::kLength},
                                  {Kind::kLastDigit},
                                  {Kind::kFraction}};
  for (const int divisor : {2, 3, 4, 5, 7, 8, 10, 16, 100}) {
    all.push_back({Kind::kRemainder, divisor});
  }
  constexpr int kDecimals = 12;
  for (int place = 1; place <= kDecimals; ++place) {
    all.push_back({Kind::kDecimal, place});
  }
  constexpr int kLowBits = 4;
  for (int bit = 0; bit < kLowBits; ++bit) all.push_back({Kind::kLowBit, bit});
  return all;
}

// True if every comma stands before three digits and then no more, as in
// "1,234,567.8", which no list does by chance for long.
bool Grouped(std::string_view text) {
  constexpr std::size_t kGroup = 3;
  for (std::size_t at = text.find(','); at != std::string_view::npos;
       at = text.find(',', at + 1)) {
    const std::size_t end =
        std::min(text.find_first_not_of("0123456789", at + 1), text.size());
    if (end != at + 1 + kGroup || text.find('.') < at) return false;
  }
  return true;
}

}  // namespace

FactValue FactValue::Of(std::string text) {
  FactValue value{.text = std::move(text)};
  std::string digits = value.text;
  if (Grouped(digits)) std::erase(digits, ',');
  double number = 0;
  const char* end = digits.data() + digits.size();
  const auto read = std::from_chars(digits.data(), end, number);
  const bool whole = !digits.empty() && read.ptr == end &&
                     read.ec == std::errc() && std::isfinite(number);
  if (whole) value.number = number;
  return value;
}

std::optional<double> FactReading::Of(const FactValue& value) const {
  if (kind == Kind::kText) return Hash(value.text);
  if (kind == Kind::kLength) return static_cast<double>(value.text.size());
  if (!value.number) return std::nullopt;
  const double number = *value.number;
  switch (kind) {
    case Kind::kRemainder:
      return Remainder(number, place);
    case Kind::kLastDigit:
      return LastDigit(value.text);
    case Kind::kDecimal:
      return DecimalParity(value.text, place);
    case Kind::kLowBit: {
      const auto bits = Significand(number);
      if (!bits) return std::nullopt;
      return static_cast<double>((*bits >> place) & 1);
    }
    case Kind::kFraction:
      return FractionDigits(number);
    default:
      return number;
  }
}

std::string FactReading::Text() const {
  switch (kind) {
    case Kind::kText:
      return "its text";
    case Kind::kNumber:
      return "its number";
    case Kind::kLength:
      return "the length of its text";
    case Kind::kRemainder:
      return "its remainder by " + std::to_string(place);
    case Kind::kLastDigit:
      return "its last digit";
    case Kind::kDecimal:
      return "the parity of decimal " + std::to_string(place);
    case Kind::kLowBit:
      return "bit " + std::to_string(place) + " of its significand";
    case Kind::kFraction:
      return "the number of its binary digits after the point";
  }
  return "";
}

std::span<const FactReading> FactReadings() {
  static const std::vector<FactReading> kAll = AllReadings();
  return kAll;
}

}  // namespace sotto
