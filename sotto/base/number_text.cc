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

std::string Shortest(double number) {
  std::array<char, 32> text;
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), number).ptr;
  return {text.data(), end};
}

std::string PlanLine(std::string_view name, std::string_view value) {
  constexpr std::size_t kWidth = 18;
  std::string line(name);
  line.resize(std::max(line.size(), kWidth), ' ');
  return line + " " + std::string(value) + "\n";
}

}  // namespace sotto
