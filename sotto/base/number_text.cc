#include "sotto/base/number_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace sotto {

std::string WithCommas(std::uint64_t number) {
  std::string text = std::to_string(number);
  for (auto i = static_cast<std::ptrdiff_t>(text.size()) - 3; i > 0; i -= 3) {
    text.insert(static_cast<std::size_t>(i), ",");
  }
  return text;
}

std::string WholeWithCommas(double number) {
  return WithCommas(static_cast<std::uint64_t>(std::llround(number)));
}

// Numbers of a few digits before the point, or of a few zeros behind it, are
// written out; exponents have neither a plus nor zeros in front.
std::string Shortest(double number) {
  constexpr double kSmall = 1e-4;
  constexpr double kLarge = 1e15;
  const double size = std::abs(number);
  const bool plain = size == 0 || (size >= kSmall && size < kLarge);
  std::array<char, 32> room;
  const auto end = std::to_chars(room.data(), room.data() + room.size(), number,
                                 plain ? std::chars_format::fixed
                                       : std::chars_format::scientific)
                       .ptr;
  std::string text(room.data(), end);
  const std::size_t exponent = text.find('e');
  if (exponent == std::string::npos) return text;
  // It has at least two digits, and is not 0 here.
  const std::size_t digits = text.find_first_not_of("+-0", exponent + 1);
  const std::size_t sign = text[exponent + 1] == '-' ? 1 : 0;
  text.replace(exponent + 1 + sign, digits - exponent - 1 - sign, "");
  return text;
}

std::string PlanLine(std::string_view name, std::string_view value) {
  constexpr std::size_t kWidth = 18;
  std::string line(name);
  line.resize(std::max(line.size(), kWidth), ' ');
  return line + " " + std::string(value) + "\n";
}

}  // namespace sotto
