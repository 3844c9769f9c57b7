#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace sotto {

// The value of a public fact in one run: a text, and its number if it is one.
struct FactValue {
  std::string text;
  std::optional<double> number = {};

  // "1,234" is 1234.
  static FactValue Of(std::string text);
  friend bool operator==(const FactValue&, const FactValue&) = default;
};

// A way to read a value as one number. Kinds that are ordered have thresholds;
// the others have categories.
//
// Threads: value types and pure functions.
struct FactReading {
  enum class Kind : std::uint8_t {
    kText,       // a hash of the text: a category for each
    kNumber,     // ordered
    kLength,     // of the text, ordered
    kRemainder,  // of an integer, divided by `place`
    kLastDigit,  // of a number as it is written
    kDecimal,    // the digit at decimal place `place` is odd
    kLowBit,     // bit `place` of the significand, counted from the lowest
    kFraction,   // binary digits after the point, ordered
  };
  Kind kind = Kind::kText;
  int place = 0;

  bool ordered() const {
    return kind == Kind::kNumber || kind == Kind::kLength ||
           kind == Kind::kFraction;
  }
  // Absent where the value cannot be read so: a word has no digits.
  std::optional<double> Of(const FactValue& value) const;
  // "its number", "its remainder by 2".
  std::string Text() const;
};

// All readings, which every fact is tried with.
std::span<const FactReading> FactReadings();

}  // namespace sotto
