#pragma once

#include <algorithm>
#include <cstddef>

#include "sotto/learners/classes/finite_class.h"

namespace sotto {

// The Littlestone dimension by its definition, point by point, without a cache
// or shortcuts. The reference for the search in tests and benchmarks. -1 for an
// empty set.
//
// Threads: a pure function.
inline int NaiveDimension(const FiniteClass& functions,
                          const FiniteClass::Set& set) {
  if (CountMembers(set) == 0) return -1;
  int best = 0;
  for (std::size_t x = 0; x < functions.points(); ++x) {
    const auto zeros = Restrict(functions, set, x, false);
    const auto ones = Restrict(functions, set, x, true);
    if (CountMembers(zeros) == 0 || CountMembers(ones) == 0) continue;
    best = std::max(best, 1 + std::min(NaiveDimension(functions, zeros),
                                       NaiveDimension(functions, ones)));
  }
  return best;
}

}  // namespace sotto
