#pragma once

#include <cstdint>

namespace sotto {

// Power of an audit: the leak that a number of runs would have shown.
//
//   const AuditPower power{.epsilon = 1, .alpha = 1e-6 / 16};
//   if (DetectableEpsilon(power, 500) > MaterialEpsilon(1)) ...  // too few
//   const auto needed = RunsForPower(power);
//
// Derivation: guesses.md.
// Threads: pure functions.
struct AuditPower {
  double epsilon = 1;  // the claim
  double delta = 0;
  double alpha = 1e-6;  // error probability of the event that is counted
  // The runs of the worlds are independent, and guesses are counted as well.
  bool guesses = false;
};

// Probability with which a leak must have been reported.
inline constexpr double kAuditPower = 0.95;

// The leak that an audit of this claim has to be able to show: twice the claim,
// or one more than it where that is larger.
double MaterialEpsilon(double epsilon);

// The bound on epsilon from an event that was counted in `runs` runs of each
// world, by the two counts, and by guesses if these are allowed.
double CountedEpsilon(const AuditPower& power, std::uint64_t hits,
                      std::uint64_t others, std::uint64_t runs);

// The smallest epsilon whose randomised response would be reported with
// probability kAuditPower after `runs` counted runs of each world; infinity if
// no leak would be.
double DetectableEpsilon(const AuditPower& power, std::uint64_t runs);

// Counted runs of each world after which a material leak is detectable.
std::uint64_t RunsForPower(const AuditPower& power);

// Counted runs of each world after which an event that always happens in one
// world, and never in the other, is reported.
std::uint64_t RunsForCertainty(const AuditPower& power);

}  // namespace sotto
