#include "sotto/mechanisms/thresholds/threshold_monitor.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "sotto/testing/seeded_rng.h"
#include "sotto/testing/statistics.h"

namespace sotto {
namespace {

enum class BrokenVariant { kSound, kNoFreshNoise, kSharedFreshNoise };

double AtLeast(double theta, std::int64_t x) {
  return x <= 0 ? 1 : std::pow(theta, static_cast<double>(x));
}

// Pr[halt at step 1], ..., Pr[halt at step n], Pr[no halt], with rho and, for
// the broken variant that draws nu once, nu summed up to a negligible tail.
std::vector<double> HaltingDistribution(const std::vector<int>& counts,
                                        double theta, std::int64_t limit,
                                        BrokenVariant variant) {
  std::vector<double> distribution(counts.size() + 1, 0);
  const int reach = static_cast<int>(40 / -std::log(theta));
  for (int rho = 0; rho < reach; ++rho) {
    const double prior = (1 - theta) * std::pow(theta, rho);
    if (variant == BrokenVariant::kSharedFreshNoise) {
      for (int nu = 0; nu < reach; ++nu) {
        std::size_t t = 0;
        std::int64_t total = 0;
        for (; t < counts.size(); ++t) {
          total += counts[t];
          if (total + nu >= limit + rho) break;
        }
        distribution[t] += prior * (1 - theta) * std::pow(theta, nu);
      }
      continue;
    }
    double alive = prior;
    std::int64_t total = 0;
    for (std::size_t t = 0; t < counts.size(); ++t) {
      total += counts[t];
      const std::int64_t missing = limit + rho - total;
      const double halts = variant == BrokenVariant::kNoFreshNoise
                               ? (missing <= 0 ? 1.0 : 0.0)
                               : AtLeast(theta, missing);
      distribution[t] += alive * halts;
      alive *= 1 - halts;
    }
    distribution.back() += alive;
  }
  return distribution;
}

// The largest |log ratio| over all streams of five counts of 0, 1, 2 and all
// steps changed by one: both directions.
double WorstRatio(double theta, std::int64_t limit, BrokenVariant variant) {
  double worst = 0;
  for (int code = 0; code < 243; ++code) {
    std::vector<int> counts;
    for (int rest = code, t = 0; t < 5; ++t, rest /= 3) {
      counts.push_back(rest % 3);
    }
    const auto base = HaltingDistribution(counts, theta, limit, variant);
    for (std::size_t s = 0; s < 5; ++s) {
      std::vector<int> neighbour = counts;
      ++neighbour[s];
      const auto other = HaltingDistribution(neighbour, theta, limit, variant);
      for (std::size_t t = 0; t < base.size(); ++t) {
        if (base[t] < 1e-14 && other[t] < 1e-14) continue;
        worst = std::max(worst, std::abs(std::log(base[t] / other[t])));
      }
    }
  }
  return worst;
}

TEST(ThresholdMonitorTest, ExactLogRatioIsEpsilonAndNotTwice) {
  for (const double epsilon : {0.5, 1.0}) {
    for (const std::int64_t limit : {1, 4}) {
      const double worst =
          WorstRatio(std::exp(-epsilon), limit, BrokenVariant::kSound);
      EXPECT_LE(worst, epsilon * (1 + 1e-9));
      EXPECT_GT(worst, epsilon * 0.999);
    }
  }
}

TEST(ThresholdMonitorTest, BrokenVariantsWithoutFreshNoiseAreRefuted) {
  const double theta = std::exp(-1.0);
  EXPECT_GT(WorstRatio(theta, 4, BrokenVariant::kNoFreshNoise), 5);
  EXPECT_GT(WorstRatio(theta, 4, BrokenVariant::kSharedFreshNoise), 1.05);
}

TEST(ThresholdMonitorTest, SlackIsAsProved) {
  auto slack = [](double epsilon, std::uint64_t horizon) {
    return ThresholdMonitor::Create(
               {.epsilon = epsilon, .threshold = 1000, .horizon = horizon})
        ->EarlySlack();
  };
  // ln(2 / 0.05) = 3.69, ln(2e6 / 0.05 / 1.37) = 17.2.
  EXPECT_EQ(slack(1, 1'000'000), 3 + 17);
  EXPECT_EQ(slack(0.1, 100'000), 36 + 145);
  const auto tight = ThresholdMonitor::Create(
      {.epsilon = 1, .threshold = 40, .horizon = 1'000'000});
  EXPECT_TRUE(tight->SolvesProblem());
  const auto loose = ThresholdMonitor::Create(
      {.epsilon = 1, .threshold = 39, .horizon = 1'000'000});
  EXPECT_FALSE(loose->SolvesProblem());
}

// One step may take the count from 0 to a million: no upper end is promised.
TEST(ThresholdMonitorTest, DescribesTheLineOfAboveAndNotTheCountAtIt) {
  ThresholdMonitor monitor = *ThresholdMonitor::Create(
      {.epsilon = 1, .threshold = 500, .horizon = 1000});
  EXPECT_EQ(monitor.Describe(),
            "With probability 95%, 'above' does not come while the count is "
            "below 487, and has come by the line that brings it to 500 or "
            "more.");
  testing::SeededRng rng(1);
  EXPECT_EQ(*monitor.Add(1'000'000, rng), ThresholdMonitor::Answer::kAbove);
  const auto noisy = ThresholdMonitor::Create(
      {.epsilon = 1, .threshold = 5, .horizon = 1000, .failure = 0.01});
  EXPECT_EQ(noisy->Describe().substr(0, 8), "Warning:");
}

TEST(ThresholdMonitorTest, EndsAfterTheFirstAbove) {
  ThresholdMonitor monitor = *ThresholdMonitor::Create(
      {.epsilon = 16, .threshold = 3, .horizon = 100});
  testing::SeededRng rng(1);
  using Answer = ThresholdMonitor::Answer;
  EXPECT_EQ(*monitor.Add(0, rng), Answer::kBelow);
  EXPECT_EQ(*monitor.Add(2, rng), Answer::kBelow);
  EXPECT_EQ(*monitor.Add(1, rng), Answer::kAbove);
  EXPECT_TRUE(monitor.halted());
  EXPECT_EQ(monitor.Add(0, rng).error().code, ErrorCode::kFailedPrecondition);
  EXPECT_EQ(monitor.steps(), 3U);
}

TEST(ThresholdMonitorTest, RefusesWhatItsContractForbids) {
  testing::SeededRng rng(1);
  ThresholdMonitor monitor = *ThresholdMonitor::Create(
      {.epsilon = 1, .threshold = 1'000'000'000'000, .horizon = 1});
  EXPECT_EQ(monitor.Add(ThresholdMonitor::kMaxCount + 1, rng).error().code,
            ErrorCode::kInvalidArgument);
  EXPECT_TRUE(monitor.Add(5, rng));
  EXPECT_EQ(monitor.Add(5, rng).error().code, ErrorCode::kFailedPrecondition);
  EXPECT_FALSE(
      ThresholdMonitor::Create({.epsilon = 1, .threshold = 0, .horizon = 1}));
  EXPECT_FALSE(
      ThresholdMonitor::Create({.epsilon = 0, .threshold = 1, .horizon = 1}));
  EXPECT_FALSE(
      ThresholdMonitor::Create({.epsilon = 17, .threshold = 1, .horizon = 1}));
  EXPECT_FALSE(ThresholdMonitor::Create(
      {.epsilon = 1, .threshold = 1, .horizon = 1, .failure = 1e-310}));
}

TEST(ThresholdMonitorTest, AStateIsRefusedUnderAnyOtherParameter) {
  ByteWriter writer;
  ThresholdMonitor::Create({.epsilon = 8, .threshold = 100, .horizon = 1000})
      ->Save(writer);
  auto code = [&](const ThresholdMonitor::Params& other) {
    ByteReader reader(writer.bytes());
    return ThresholdMonitor::Load(other, reader).error().code;
  };
  // Same limit, larger threshold, smaller epsilon.
  EXPECT_EQ(code({.epsilon = 0.1, .threshold = 136, .horizon = 1000}),
            ErrorCode::kCorruption);
  EXPECT_EQ(code({.epsilon = 7.5, .threshold = 100, .horizon = 1000}),
            ErrorCode::kCorruption);
  EXPECT_EQ(code({.epsilon = 8, .threshold = 100, .horizon = 1001}),
            ErrorCode::kCorruption);
  EXPECT_EQ(
      code({.epsilon = 8, .threshold = 100, .horizon = 1000, .failure = 0.06}),
      ErrorCode::kCorruption);
}

TEST(ThresholdMonitorTest, AResumedStreamEqualsAnUninterruptedOne) {
  const ThresholdMonitor::Params params = {
      .epsilon = 0.2, .threshold = 60, .horizon = 1000};
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    testing::SeededRng rng(seed);
    testing::SeededRng same(seed);
    ThresholdMonitor whole = *ThresholdMonitor::Create(params);
    ThresholdMonitor part = whole;
    while (!whole.halted()) {
      ByteWriter writer;
      part.Save(writer);
      ByteReader reader(writer.bytes());
      auto loaded = ThresholdMonitor::Load(params, reader);
      ASSERT_TRUE(loaded && reader.Finish());
      part = *std::move(loaded);
      ASSERT_EQ(*whole.Add(1, rng), *part.Add(1, same));
    }
    EXPECT_TRUE(part.halted());
  }
}

TEST(ThresholdMonitorStatisticalTest, HaltsWithTheExactDistribution) {
  const std::vector<int> counts = {1, 0, 2, 0, 1};
  constexpr std::uint64_t kRuns = 200'000;
  // failure = 0.9 gives a late slack of 1 at this epsilon: the limit is 3.
  const ThresholdMonitor fresh = *ThresholdMonitor::Create(
      {.epsilon = 0.5, .threshold = 4, .horizon = 5, .failure = 0.9});
  const auto distribution =
      HaltingDistribution(counts, std::exp(-0.5), 3, BrokenVariant::kSound);
  testing::SeededRng rng(9);
  std::vector<std::uint64_t> halted(6, 0);
  for (std::uint64_t run = 0; run < kRuns; ++run) {
    ThresholdMonitor monitor = fresh;
    std::size_t t = 0;
    while (t < 5 && *monitor.Add(static_cast<std::uint64_t>(counts[t]), rng) ==
                        ThresholdMonitor::Answer::kBelow) {
      ++t;
    }
    ++halted[t];
  }
  EXPECT_GT(ChiSquaredPValue(halted, distribution), 1e-6);
}

TEST(ThresholdMonitorStatisticalTest, IsEarlyOrLateNoMoreOftenThanAllowed) {
  const ThresholdMonitor fresh = *ThresholdMonitor::Create(
      {.epsilon = 1, .threshold = 60, .horizon = 5000, .failure = 0.2});
  std::uint64_t wrong = 0;
  constexpr std::uint64_t kRuns = 400;
  for (std::uint64_t run = 0; run < kRuns; ++run) {
    testing::SeededRng rng(run);
    ThresholdMonitor monitor = fresh;
    std::int64_t count = 0;
    while (!monitor.halted() && count < 60) {
      // Long waits at every count: the worst for early reports.
      const std::uint64_t step = monitor.steps() % 80 == 79 ? 1 : 0;
      count += static_cast<std::int64_t>(step);
      ASSERT_TRUE(monitor.Add(step, rng));
    }
    const bool early = monitor.halted() && count < 60 - fresh.EarlySlack();
    if (early || !monitor.halted()) ++wrong;
  }
  EXPECT_LE(ClopperPearsonLower(wrong, kRuns, 1e-6), 0.2);
}

}  // namespace
}  // namespace sotto
