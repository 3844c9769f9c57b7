#include "sotto/testing/leakage_attack.h"

#include <algorithm>
#include <cmath>

#include "sotto/testing/statistics.h"

namespace sotto::testing {
namespace {

constexpr int kDigits = 53;

double Uniform(Rng& rng) {
  return std::ldexp(static_cast<double>(rng.Next() >> (64 - kDigits)),
                    -kDigits);
}

}  // namespace

bool LeakageAttack::Majority(LeakTarget& target, double x) const {
  int ones = 0;
  for (int i = 0; i < repeats; ++i) ones += target.Ask(x) ? 1 : 0;
  return 2 * ones > repeats;
}

// The least point that is answered as the last one is, if answers change once.
double LeakageAttack::ByBoundary(LeakTarget& target) const {
  const auto last = (std::uint64_t{1} << kDigits) - 1;
  const auto at = [](std::uint64_t i) {
    return std::ldexp(static_cast<double>(i), -kDigits);
  };
  const bool above = Majority(target, at(last));
  std::uint64_t low = 0;
  std::uint64_t high = last;
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    if (Majority(target, at(middle)) == above) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return at(high);
}

double LeakageAttack::BySpoken(LeakTarget& target) const {
  double point = 0;
  for (int i = 1; i <= kDigits; ++i) {
    if (target.Ask(0.5)) point += std::ldexp(1, -i);
  }
  return point;
}

bool LeakageAttack::Wins(LeakTarget& target, Rng& rng) const {
  std::vector<double> hidden;
  for (std::uint64_t i = 0; i < challenges; ++i) {
    hidden.push_back(Uniform(rng));
    target.AskHidden(hidden.back());
  }
  const double named = strategy == LeakStrategy::kBoundary ? ByBoundary(target)
                                                           : BySpoken(target);
  return std::find(hidden.begin(), hidden.end(), named) != hidden.end();
}

bool LeakageVerdict::leaking() const {
  constexpr double kFalseAlarm = 1e-6;
  return ClopperPearsonLower(won, runs, kFalseAlarm) > 0.5;
}

}  // namespace sotto::testing
