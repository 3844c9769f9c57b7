#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sotto {

// 1,234,567.
std::string WithCommas(std::uint64_t number);
// The nearest integer, with commas. Requires that it is not negative.
std::string WholeWithCommas(double number);
// The fewest digits that are read as this number: 0.25, 200000, 1e-6, 1e18.
std::string Shortest(double number);

// A line of a plan: what it says, and the value.
std::string PlanLine(std::string_view name, std::string_view value);

}  // namespace sotto
