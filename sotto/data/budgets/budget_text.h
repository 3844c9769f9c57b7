#pragma once

#include <array>
#include <charconv>
#include <string>

#include "sotto/base/number_text.h"

namespace sotto {

// A cost for people: to 12 digits, so that fifty charges of 0.02 read as 1.
// Sums in doubles differ from that by less; JSON has all digits.
inline std::string Rounded(double cost) {
  constexpr int kDigits = 12;
  std::array<char, 32> room;
  const char* const end =
      std::to_chars(room.data(), room.data() + room.size(), cost,
                    std::chars_format::general, kDigits)
          .ptr;
  double rounded = cost;
  std::from_chars(room.data(), end, rounded);
  return Shortest(rounded);
}

}  // namespace sotto
