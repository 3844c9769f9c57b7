#include "sotto/mechanisms/thresholds/exact_stopper.h"

#include <gtest/gtest.h>

#include <vector>

#include "sotto/testing/exact_number.h"
#include "sotto/testing/seeded_rng.h"
#include "sotto/testing/statistics.h"

namespace sotto {
namespace {

using Exact = ExactNumber;

Exact ToExact(Uint128 value) {
  const Exact half(std::uint64_t{1} << 32);
  return Exact(High64(value)) * half * half + Exact(Low64(value));
}

constexpr int kChecks = 4;

// Pr[halt at each check], and at none, of a stopper with limit 2 and thresholds
// below `thresholds`, those from `equal` on being all alike.
std::vector<Exact> ComputeDistribution(const LossWeights& weights,
                                       std::uint64_t thresholds,
                                       const std::vector<int>& added) {
  const Exact one = ToExact(weights(0));
  std::vector<Exact> distribution(kChecks + 1, Exact(0));
  Exact total = 0;
  const std::uint64_t equal = weights.flat() + 10;
  for (std::uint64_t rho = 0; rho <= std::min(equal, thresholds - 1); ++rho) {
    Exact survives = ToExact(weights(rho));
    if (rho == equal) survives *= Exact(thresholds - equal);
    total += survives;
    std::int64_t count = 0;
    for (std::size_t t = 0; t < kChecks; ++t) {
      count += added[t];
      const std::int64_t m = 2 + static_cast<std::int64_t>(rho) - count;
      const Exact halts = ToExact(weights(static_cast<std::uint64_t>(
                              std::max<std::int64_t>(0, m)))) /
                          one;
      distribution[t] += survives * halts;
      survives *= Exact(1) - halts;
    }
    distribution[kChecks] += survives;
  }
  for (Exact& p : distribution) p /= total;
  return distribution;
}

// The worst quotient over all inputs and hidden events, or 0 if one world rules
// out what happens in the other.
Exact WorstRatio(const LossWeights& weights, std::uint64_t thresholds) {
  Exact worst = 1;
  for (int code = 0; code < 81; ++code) {
    std::vector<int> without;
    for (int rest = code, i = 0; i < kChecks; ++i, rest /= 3) {
      without.push_back(rest % 3);
    }
    for (std::size_t hidden = 0; hidden < kChecks; ++hidden) {
      std::vector<int> with = without;
      ++with[hidden];
      const auto p = ComputeDistribution(weights, thresholds, without);
      const auto q = ComputeDistribution(weights, thresholds, with);
      for (std::size_t t = 0; t <= kChecks; ++t) {
        if (p[t] == q[t]) continue;
        if (p[t] == Exact(0) || q[t] == Exact(0)) return 0;
        worst = std::max({worst, Exact(p[t] / q[t]), Exact(q[t] / p[t])});
      }
    }
  }
  return worst;
}

// e^1, from above.
Exact EulerAbove() {
  Exact term = 1;
  Exact sum = 1;
  for (int i = 1; i < 30; ++i) {
    term /= Exact(i);
    sum += term;
  }
  return sum + 2 * term;
}

TEST(ExactStopperTest, OneEventCostsEpsilonExactly) {
  const auto stopper = ExactStopper::Create(1);
  ASSERT_TRUE(stopper);
  const Exact worst = WorstRatio(stopper->weights(), ExactStopper::kThresholds);
  EXPECT_GT(worst, Exact(2));
  EXPECT_LE(worst, EulerAbove());
}

TEST(ExactStopperTest, ThresholdsThatEndTooSoonAreNotPrivate) {
  // The broken variant.
  const auto stopper = ExactStopper::Create(1);
  const Exact worst = WorstRatio(stopper->weights(), 3);
  EXPECT_TRUE(worst == Exact(0) || worst > EulerAbove());
}

// alpha = 1e-6.
TEST(ExactStopperStatisticalTest, FollowsTheDistribution) {
  auto stopper = ExactStopper::Create(1);
  ASSERT_TRUE(stopper);
  const std::vector<int> added = {1, 0, 1, 1};
  const auto distribution =
      ComputeDistribution(stopper->weights(), ExactStopper::kThresholds, added);
  std::vector<double> expected;
  for (const Exact& p : distribution)
    expected.push_back(static_cast<double>(p));
  testing::SeededRng rng(2);
  std::vector<std::uint64_t> counts(kChecks + 1);
  for (int i = 0; i < 100'000; ++i) {
    stopper->Begin(rng);
    std::int64_t count = 0;
    std::size_t t = 0;
    for (; t < kChecks; ++t) {
      count += added[t];
      if (stopper->Check(count - 2, rng)) break;
    }
    ++counts[t];
  }
  EXPECT_GT(ChiSquaredPValue(counts, expected), 1e-6);
}

TEST(ExactStopperTest, RejectsWhatTheContractForbids) {
  for (const double bad : {0.0, 1e-6, 17.0}) {
    EXPECT_FALSE(ExactStopper::Create(bad)) << bad;
  }
}

}  // namespace
}  // namespace sotto
