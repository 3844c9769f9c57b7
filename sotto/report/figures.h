#pragma once

#include <cstdint>
#include <string>

#include "sotto/base/json.h"

namespace sotto {

// Human-readable numbers, beside base/number_text.h. Threads: pure functions.

// Rounded to `digits` that count, "0.471"; larger numbers in full, "12,345".
std::string Figure(double number, int digits);
// With three digits.
std::string Short(double number);
// "0.471%" of a share of 0.00471.
std::string Percent(double share);
// "4,712 (0.471%)"; without the share if the whole is 0.
std::string CountAndShare(std::uint64_t part, std::uint64_t whole);
// With which probability a proved bound on the mistakes holds, "95%", of a
// model with these parameters: it has "failure" if it can be chosen.
std::string BoundProbability(const Json& parameters);
// The quotient, or nothing of nothing.
double Ratio(double part, double whole);

}  // namespace sotto
