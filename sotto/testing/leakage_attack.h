#pragma once

#include <cstdint>
#include <vector>

#include "sotto/random/rng.h"

namespace sotto::testing {

// What a leakage attack plays against: a predictor of points of [0, 1).
class LeakTarget {
 public:
  virtual ~LeakTarget() = default;
  // A query of the adversary's own.
  virtual bool Ask(double x) = 0;
  // A challenge point, drawn without the adversary; he hears the answer.
  virtual bool AskHidden(double x) = 0;
};

// How the adversary looks for a point.
enum class LeakStrategy {
  kBoundary,  // where answers change, by halving: what was learned by heart
  kSpoken,    // in the answers themselves, as binary digits
};

// The leakage attack: some rounds hold points that are uniform on the multiples
// of 2^-53 and that the adversary does not see; at the end he names a point,
// and wins if it is one of them. A predictor is leaking if he wins with
// probability 1/2.
//
//   LeakageAttack attack{.strategy = LeakStrategy::kBoundary};
//   bool won = attack.Wins(target, rng);
//
// Paper: [PERP] Definitions 3.4 and A.1. A predictor that is (epsilon, delta)-
// private with delta(i) that sum up to less than 1/8 is not leaking
// (Observation 3.9); one with a fixed delta can be, from 1/delta rounds on
// (Fact 3.5).
struct LeakageAttack {
  LeakStrategy strategy = LeakStrategy::kBoundary;
  std::uint64_t challenges = 30;
  // Every question is asked so often, and the majority believed.
  int repeats = 3;

  bool Wins(LeakTarget& target, Rng& rng) const;

 private:
  double ByBoundary(LeakTarget& target) const;
  double BySpoken(LeakTarget& target) const;
  bool Majority(LeakTarget& target, double x) const;
};

// Of so many runs, in how many the adversary won; and whether it is certain, at
// a false-alarm rate of 1e-6, that he wins with probability 1/2 or more.
struct LeakageVerdict {
  std::uint64_t runs = 0;
  std::uint64_t won = 0;
  bool leaking() const;
};

}  // namespace sotto::testing
