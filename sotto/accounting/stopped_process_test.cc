#include "sotto/accounting/stopped_process.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>
#include <vector>

namespace sotto {
namespace {

using Pair = std::pair<long double, long double>;  // in P, in Q

struct ThresholdTest {
  std::vector<Pair> targets;
  std::vector<Pair> others;
};

long double Moment(const std::vector<Pair>& outcomes, long double order) {
  long double sum = 0;
  for (const auto& [p, q] : outcomes) {
    if (p > 0) sum += std::pow(p, order) * std::pow(q, 1 - order);
  }
  return sum;
}

// ln of the target factor one test needs: a / (1 - b).
long double LogNeeded(const ThresholdTest& test, long double order) {
  const long double a = Moment(test.targets, order);
  const long double b = Moment(test.others, order);
  if (a == 0) return 0;
  if (b >= 1) return INFINITY;
  return std::log(a / (1 - b));
}

// Pr[Z >= m] of the discrete Laplace distribution.
long double Tail(long double rate, std::int64_t m) {
  const long double theta = std::exp(-rate);
  if (m <= 0) return 1 - Tail(rate, 1 - m);
  return std::pow(theta, static_cast<long double>(m)) / (1 + theta);
}

// BetweenThresholds with thresholds 0 and gap + 1 on votes v and w, the noisy
// value released inside.
ThresholdTest Band(long double rate, std::int64_t gap, std::int64_t v,
                   std::int64_t w) {
  const long double theta = std::exp(-rate);
  const auto mass = [&](std::int64_t z) {
    return (1 - theta) / (1 + theta) *
           std::pow(theta, static_cast<long double>(std::abs(z)));
  };
  ThresholdTest test;
  test.others.emplace_back(Tail(rate, v), Tail(rate, w));
  test.others.emplace_back(Tail(rate, gap + 1 - v), Tail(rate, gap + 1 - w));
  for (std::int64_t n = 1; n <= gap; ++n) {
    test.targets.emplace_back(mass(n - v), mass(n - w));
  }
  return test;
}

TEST(StoppedProcessTest, ReproducesTheReferenceFactors) {
  const auto factor = [](double order, double rate, std::int64_t gap) {
    return LogTargetFactor({.rate = rate, .gap = gap}, order);
  };
  EXPECT_NEAR(factor(2, .1, 10), 0.0375321364142, 5e-14);
  EXPECT_NEAR(factor(10, .05, 40), 0.555789052645, 5e-13);
  EXPECT_NEAR(factor(20, .01, 100), 0.0761151496788, 5e-14);
  EXPECT_NEAR(factor(1.5, .5, 3), 0.524887021479, 5e-13);
}

TEST(StoppedProcessTest, NeverRoundsDown) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> uniform(0, 1);
  for (int i = 0; i < 20000; ++i) {
    const double rate = std::pow(10, -6 + 7 * uniform(random));
    const auto gap = static_cast<std::int64_t>(5 * uniform(random) / rate);
    const StoppedProcess process{.rate = rate, .gap = gap};
    const double order =
        1 + (StoppedProcessMaxOrder(process) - 1) * uniform(random);
    if (order <= 1) continue;
    const long double e = rate;
    const long double paid =
        gap == 0 ? 1 : -std::expm1(-e * static_cast<long double>(gap));
    const long double truth =
        -std::log1p(-std::expm1((static_cast<long double>(order) - 1) * e) *
                    std::expm1(order * e) / paid);
    const double value = LogTargetFactor(process, order);
    ASSERT_GE(value, truth) << rate << " " << gap << " " << order;
    if (truth < 5) {
      ASSERT_LE(value, truth * (1 + 1e-11L)) << rate << " " << order;
    }
  }
}

TEST(StoppedProcessTest, NoBinaryTestNeedsALargerFactor) {
  std::mt19937_64 random(2);
  std::uniform_real_distribution<double> uniform(0, 1);
  for (int i = 0; i < 20000; ++i) {
    const long double rate = std::pow(10.0, -2 + 2.3 * uniform(random));
    const StoppedProcess process{.rate = static_cast<double>(rate)};
    const double order =
        1 + (StoppedProcessMaxOrder(process) - 1) * .999 * uniform(random);
    const long double p = uniform(random);
    const long double least =
        std::max(p * std::exp(-rate), 1 - (1 - p) * std::exp(rate));
    const long double most =
        std::min(p * std::exp(rate), 1 - (1 - p) * std::exp(-rate));
    const long double q = least + (most - least) * uniform(random);
    const ThresholdTest test{{{p, q}}, {{1 - p, 1 - q}}};
    ASSERT_LE(LogNeeded(test, order), LogTargetFactor(process, order) + 1e-12L);
  }
}

TEST(StoppedProcessTest, TheBandNeedsExactlyTheFactor) {
  for (const double rate : {.02, .3, 1.0, 2.5}) {
    for (const std::int64_t gap : {1, 2, 7, 40}) {
      const StoppedProcess process{.rate = rate, .gap = gap};
      for (const double part : {.05, .4, .9}) {
        const double order = 1 + (StoppedProcessMaxOrder(process) - 1) * part;
        long double most = 0;
        for (std::int64_t v = -15; v <= gap + 16; ++v) {
          most = std::max(most, LogNeeded(Band(rate, gap, v, v + 1), order));
          most = std::max(most, LogNeeded(Band(rate, gap, v + 1, v), order));
        }
        const long double factor = LogTargetFactor(process, order);
        EXPECT_NEAR(static_cast<double>(most / factor), 1, 1e-10)
            << rate << " " << gap << " " << order;
      }
    }
  }
}

TEST(StoppedProcessTest, AWideBandCostsWhatAboveThresholdCosts) {
  const double above = LogTargetFactor({.rate = .1}, 4);
  EXPECT_NEAR(LogTargetFactor({.rate = .1, .gap = 400}, 4) / above, 1, 1e-12);
  EXPECT_GT(LogTargetFactor({.rate = .1, .gap = 10}, 4), 1.5 * above);
}

TEST(StoppedProcessTest, HasNoMomentBeyondItsCeiling) {
  for (const std::int64_t gap : {0, 1, 25}) {
    const StoppedProcess process{.rate = .1, .gap = gap};
    const double ceiling = StoppedProcessMaxOrder(process);
    EXPECT_TRUE(std::isfinite(LogTargetFactor(process, ceiling - 1e-6)));
    EXPECT_TRUE(std::isinf(LogTargetFactor(process, ceiling + 1e-6)));
    EXPECT_TRUE(std::isinf(LogTargetFactor(process, 1)));
    EXPECT_TRUE(std::isinf(LogTargetFactor(process, NAN)));
    const double half = StoppedProcessMaxOrder(process, .5);
    EXPECT_NEAR(LogTargetFactor(process, half), std::log(2), 1e-9);
  }
}

double NoiseScale(std::int64_t targets, double gap_in_scales) {
  const auto process = LeastNoise({.epsilon = 1,
                                   .delta = 1e-6,
                                   .targets = targets,
                                   .gap_in_scales = gap_in_scales});
  return process ? 1 / process->rate : NAN;
}

TEST(StoppedProcessTest, ReproducesTheNoiseTable) {
  EXPECT_NEAR(NoiseScale(1, 0), 19.4, .05);
  EXPECT_NEAR(NoiseScale(10, 0), 32.0, .05);
  EXPECT_NEAR(NoiseScale(100, 0), 75.2, .05);
  EXPECT_NEAR(NoiseScale(1000, 0), 213, .5);
  EXPECT_NEAR(NoiseScale(10000, 0), 652, .5);
  EXPECT_NEAR(NoiseScale(1, 2.5), 20.0, .05);
  EXPECT_NEAR(NoiseScale(10, 2.5), 33.1, .05);
  EXPECT_NEAR(NoiseScale(100, 2.5), 78.1, .05);
  EXPECT_NEAR(NoiseScale(1000, 2.5), 222, .5);
  EXPECT_NEAR(NoiseScale(10000, 2.5), 680, .5);
}

TEST(StoppedProcessTest, GroupsPayTheProvedPrice) {
  const StoppedProcess above{.rate = .01, .targets = 20};
  const auto tripled = StoppedProcessCurve({.rate = .03, .targets = 20});
  ASSERT_TRUE(tripled);
  EXPECT_NEAR(
      *StoppedProcessGroupDelta(above, 3, 1) / DeltaFromRenyi(*tripled, 1), 1,
      1e-9);
  const StoppedProcess band{.rate = .01, .targets = 20, .gap = 50};
  const auto single = StoppedProcessCurve(band);
  ASSERT_TRUE(single);
  const double expected =
      std::expm1(1.5) / std::expm1(.5) * DeltaFromRenyi(*single, .5);
  EXPECT_NEAR(*StoppedProcessGroupDelta(band, 3, 1.5) / expected, 1, 1e-9);
  EXPECT_NEAR(
      *StoppedProcessGroupDelta(band, 1, 1.5) / DeltaFromRenyi(*single, 1.5), 1,
      1e-12);
}

TEST(StoppedProcessTest, RefusesParametersOutOfRange) {
  const auto code = [](const StoppedProcess& process) {
    return StoppedProcessCurve(process).error().code;
  };
  EXPECT_EQ(code({.rate = 0}), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code({.rate = -1}), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code({.rate = NAN}), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code({.rate = INFINITY}), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code({.rate = .1, .targets = 0}), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code({.rate = .1, .gap = -1}), ErrorCode::kInvalidArgument);
  const StoppedProcess good{.rate = .1};
  EXPECT_FALSE(StoppedProcessGroupDelta(good, 0, 1));
  EXPECT_FALSE(StoppedProcessGroupDelta(good, 2, 0));
  EXPECT_FALSE(StoppedProcessGroupDelta(good, 2, NAN));
  EXPECT_FALSE(LeastNoise({.epsilon = 0, .delta = 1e-6}));
  EXPECT_FALSE(LeastNoise({.epsilon = 1, .delta = 0}));
  EXPECT_FALSE(LeastNoise({.epsilon = 1, .delta = 1}));
  EXPECT_FALSE(LeastNoise({.epsilon = 1, .delta = 1e-6, .targets = 0}));
  EXPECT_FALSE(LeastNoise({.epsilon = 1, .delta = .1, .gap_in_scales = -1}));
}

}  // namespace
}  // namespace sotto
