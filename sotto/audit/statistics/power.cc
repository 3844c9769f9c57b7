#include "sotto/audit/statistics/power.h"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <cmath>
#include <functional>
#include <limits>

#include "sotto/audit/statistics/confidence.h"

namespace sotto {
namespace {

constexpr double kLargestEpsilon = 40;
constexpr std::uint64_t kMostRuns = std::uint64_t{1} << 40;

// The number of hits that is undercut with a probability of at most `miss`.
std::uint64_t LowQuantile(std::uint64_t trials, double rate, double miss) {
  using boost::math::binomial_distribution;
  using boost::math::policies::discrete_quantile;
  using boost::math::policies::integer_round_down;
  using boost::math::policies::policy;
  using Down = policy<discrete_quantile<integer_round_down>>;
  if (rate >= 1) return trials;
  const binomial_distribution<double, Down> hits(static_cast<double>(trials),
                                                 rate);
  return static_cast<std::uint64_t>(std::max(0.0, quantile(hits, miss)));
}

// True if randomised response at `epsilon` is reported with kAuditPower.
bool Reported(const AuditPower& power, double epsilon, std::uint64_t runs) {
  const double rate = GuessRate(epsilon, power.delta);
  const double miss = 1 - kAuditPower;
  const std::uint64_t hits = LowQuantile(runs, rate, miss / 2);
  if (CountedEpsilon(power, hits, runs - hits, runs) > power.epsilon) {
    return true;
  }
  if (!power.guesses) return false;
  const std::uint64_t correct = LowQuantile(2 * runs, rate, miss);
  return EpsilonByGuesses(correct, 2 * runs, power.delta, power.alpha / 2) >
         power.epsilon;
}

// The smallest number from `low` on that is enough; kMostRuns if none is.
std::uint64_t SmallestRuns(const std::function<bool(std::uint64_t)>& enough) {
  std::uint64_t high = 1;
  while (high < kMostRuns && !enough(high)) high *= 2;
  std::uint64_t low = high / 2;
  while (high < kMostRuns && low + 1 < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    (enough(middle) ? high : low) = middle;
  }
  return high;
}

}  // namespace

double MaterialEpsilon(double epsilon) {
  return std::max(2 * epsilon, epsilon + 1);
}

double CountedEpsilon(const AuditPower& power, std::uint64_t hits,
                      std::uint64_t others, std::uint64_t runs) {
  if (runs == 0) return 0;
  if (!power.guesses) {
    return EpsilonLowerBound(hits, others, runs, power.delta, power.alpha);
  }
  const double half = power.alpha / 2;
  return std::max(
      EpsilonLowerBound(hits, others, runs, power.delta, half),
      EpsilonByGuesses(hits + (runs - others), 2 * runs, power.delta, half));
}

double DetectableEpsilon(const AuditPower& power, std::uint64_t runs) {
  double high = power.epsilon + kLargestEpsilon;
  if (runs == 0 || !Reported(power, high, runs)) {
    return std::numeric_limits<double>::infinity();
  }
  double low = power.epsilon;
  constexpr double kPrecise = 1e-3;
  while (high - low > kPrecise * high) {
    const double middle = (low + high) / 2;
    (Reported(power, middle, runs) ? high : low) = middle;
  }
  return high;
}

std::uint64_t RunsForPower(const AuditPower& power) {
  const double leak = MaterialEpsilon(power.epsilon);
  return SmallestRuns(
      [&](std::uint64_t runs) { return Reported(power, leak, runs); });
}

std::uint64_t RunsForCertainty(const AuditPower& power) {
  return SmallestRuns([&](std::uint64_t runs) {
    return CountedEpsilon(power, runs, 0, runs) > power.epsilon;
  });
}

}  // namespace sotto
