#pragma once

#include <cstdint>
#include <string_view>

namespace sotto {

// digits / 10^places, correctly rounded: the double that any exact reader of
// the same decimal gives. Needs no floating-point operation but the last, so
// it is the same on every machine.
//
//   ScaledDecimal(314, 2) == 3.14
//
// Requires 0 <= places <= kMaxPlaces.
inline constexpr int kMaxPlaces = 27;
double ScaledDecimal(std::uint64_t digits, int places);

// Reads the decimal number that starts at `begin`, as std::from_chars does and
// with exactly its result, but also with a leading plus, and faster for plain
// decimals of at most 19 digits. Returns its end; nullptr if there is no number
// or it is not a finite double. "nan" and "inf" are not numbers here.
const char* ParseDecimal(const char* begin, const char* end, double& value);

// True if all of `text` is one finite number.
bool ParseDecimal(std::string_view text, double& value);

// True if `text` spells what is a number for most programs, but not a finite
// double: nan, inf, infinity, 1e999.
bool SpellsNotFinite(std::string_view text);

}  // namespace sotto
