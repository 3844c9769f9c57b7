#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sotto/audit/games/adversaries.h"

namespace sotto {

// Variants of the adversaries, for the auditor to choose from.
//
// Threads: pure functions.

// Around `centre`, some of them `scale` away and further, both ways.
std::vector<Parking> ParkingAround(std::int64_t centre, double scale);

// Pairs for a kept threshold of `centre` before its one-sided noise.
std::vector<ExtremalPair> PairsAround(std::int64_t centre);

// A step of one at a count of `from` to `to`, at once.
std::vector<SingleStep> StepsAt(std::int64_t from, std::int64_t to);

// Random strategies, the same ones every time.
std::vector<StrategyTree> RandomTrees(const StrategyTree::Range& range,
                                      std::size_t count);

// A hidden step at fixed rounds up to `rounds` and after numbers of tops.
std::vector<HiddenStep> HiddenSteps(std::uint64_t rounds);

// Visible queries around a threshold of 0 whose noise has this rate, and a
// hidden one early or late.
std::vector<HiddenQuery> HiddenQueries(double rate);

}  // namespace sotto
