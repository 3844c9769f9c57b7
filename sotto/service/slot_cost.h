#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace sotto {

// Costs of groups of the clock `slots`. Threads: pure functions.

// The probability that a group is full if requests come independently of each
// other, `mean` in a group on average: a Poisson tail.
double FullGroupProbability(double mean, std::uint64_t places);

// Bytes of the block of a group: all have the same size.
std::size_t GroupBytes(std::uint64_t places, std::size_t columns);

// The cost of places that are left over, at the nearest smaller share that was
// measured (docs/how-to/slots.md), as a sentence; or that it was not.
std::string OccupancyCost(std::string_view model, double share);

}  // namespace sotto
