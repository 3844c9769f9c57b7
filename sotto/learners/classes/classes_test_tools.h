#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>

#include "sotto/learners/classes/finite_class.h"

namespace sotto {

using ClassRng = std::mt19937_64;

// Lines of labels, each 1 with the probability `ones` / 8; some may be equal.
inline std::string RandomRows(std::size_t functions, std::size_t points,
                              ClassRng& rng, std::uint64_t ones = 4) {
  std::string text;
  for (std::size_t h = 0; h < functions; ++h) {
    for (std::size_t x = 0; x < points; ++x) {
      text += rng() % 8 < ones ? '1' : '0';
    }
    text += '\n';
  }
  return text;
}

inline FiniteClass RandomClass(std::size_t functions, std::size_t points,
                               ClassRng& rng, std::uint64_t ones = 4) {
  return *FiniteClass::Parse(RandomRows(functions, points, rng, ones));
}

// Each of the class with probability 1/2.
inline FiniteClass::Set RandomSet(const FiniteClass& functions, ClassRng& rng) {
  FiniteClass::Set set = functions.All();
  for (std::uint64_t& word : set) word &= rng();
  return set;
}

}  // namespace sotto
