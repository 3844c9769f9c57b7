#pragma once

#include <span>
#include <vector>

#include "sotto/audit/program/fact_event.h"

namespace sotto {

// Facts that two facts make together: their difference and their sum if they
// are numbers, otherwise both texts. Noise that was used twice is gone in the
// difference; a bit that was split over two facts is in the parity of the sum.
//
// Threads: a pure function.
std::vector<FactColumn> MakePairs(std::span<const FactColumn* const> facts);

}  // namespace sotto
