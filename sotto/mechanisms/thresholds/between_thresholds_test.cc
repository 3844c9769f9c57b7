#include "sotto/mechanisms/thresholds/between_thresholds.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "sotto/mechanisms/thresholds/multi_above_threshold.h"
#include "sotto/mechanisms/thresholds/sparse_vector_calibration.h"
#include "sotto/testing/distributions/between_thresholds.h"
#include "sotto/testing/distributions/discrete_laplace.h"
#include "sotto/testing/exact_game.h"
#include "sotto/testing/seeded_rng.h"
#include "sotto/testing/statistics.h"

namespace sotto {
namespace {

using Answer = BetweenThresholds::Answer;
using Params = BetweenThresholds::Params;
using Zone = BetweenThresholds::Zone;

double Worst(double rate, int gap, int reports, int rounds, double epsilon) {
  const BetweenThresholdsDistribution<double> distribution{
      .theta = std::exp(-rate), .gap = gap, .reports = reports};
  return *ExactGame(distribution, rounds).Delta(std::exp(epsilon));
}

// The distribution releases the noisy value in the band, as the class does.
TEST(BetweenThresholdsTest, ExactGameStaysBelowTheGuarantee) {
  for (const int gap : {1, 3}) {
    for (const int reports : {1, 2}) {
      const auto test = BetweenThresholds::Create({.epsilon = 1,
                                                   .low = 10,
                                                   .high = 11 + gap,
                                                   .reports = reports,
                                                   .rate = 0.2});
      ASSERT_TRUE(test);
      const double delta = test->guarantee().delta();
      const int rounds = gap == 1 ? 14 : 8;
      const double worst = Worst(test->rate(), gap, reports, rounds, 1);
      EXPECT_LE(worst, delta);
      EXPECT_GT(worst, 0.1 * delta);
    }
  }
}

TEST(BetweenThresholdsTest, TheFactorForTheGapIsNecessary) {
  // Broken variant: the price of a test with one threshold.
  const auto unpaid = MultiAboveThreshold::Create({.epsilon = 1, .rate = 0.2});
  ASSERT_TRUE(unpaid);
  EXPECT_GT(Worst(0.2, 1, 1, 20, 1), 1.3 * unpaid->guarantee().delta());
}

TEST(BetweenThresholdsTest, OneReportMoreThanPaidIsRefuted) {
  const auto test = BetweenThresholds::Create(
      {.epsilon = 2, .low = 0, .high = 2, .reports = 1, .rate = 0.4});
  ASSERT_TRUE(test);
  EXPECT_LE(Worst(0.4, 1, 1, 14, 2), test->guarantee().delta());
  EXPECT_GT(Worst(0.4, 1, 2, 14, 2), test->guarantee().delta());
}

TEST(BetweenThresholdsTest, AnyGapIsPrivateAndWideOnesAreCheaper) {
  double last = std::numeric_limits<double>::infinity();
  for (const std::int64_t gap : {1, 2, 30, 200, 100'000}) {
    const auto test = BetweenThresholds::Create({.epsilon = 1,
                                                 .delta = 1e-6,
                                                 .low = 0,
                                                 .high = gap + 1,
                                                 .reports = 10});
    ASSERT_TRUE(test);
    EXPECT_LT(1 / test->rate(), last);
    last = 1 / test->rate();
  }
  EXPECT_LT(last, 28.8);
  const auto narrow = BetweenThresholds::Create(
      {.epsilon = 1, .delta = 1e-6, .low = 0, .high = 2, .reports = 10});
  EXPECT_LT(1 / narrow->rate(), 510);
}

TEST(BetweenThresholdsTest, RejectsParametersOutsideTheContract) {
  for (const Params& bad :
       {Params{.epsilon = 1, .delta = 1e-6, .low = 0, .high = 1},
        Params{.epsilon = 1, .delta = 1e-6, .low = 5, .high = 0},
        Params{.epsilon = 1,
        .delta = 1e-6,
        .low = -kQueryLimit,
        .high = kQueryLimit},
        Params{.epsilon = 1, .delta = 0, .low = 0, .high = 5},
        Params{.epsilon = 0, .delta = 1e-6, .low = 0, .high = 5},
        Params{
            .epsilon = 1, .delta = 1e-6, .low = 0, .high = 5, .reports = 0}}) {
    const auto test = BetweenThresholds::Create(bad);
    ASSERT_FALSE(test) << bad.low << " " << bad.high;
    EXPECT_EQ(test.error().code, ErrorCode::kInvalidArgument);
  }
}

// Printed lines: [PERP] Alg. 3: draw by draw.
TEST(BetweenThresholdsTest, AddsTheSamplersDrawsAndReleasesTheBandOnly) {
  testing::SeededRng rng(4);
  testing::SeededRng same(4);
  auto test = BetweenThresholds::Create(
      {.epsilon = 1, .delta = 1e-6, .low = -60, .high = 90, .reports = 100});
  ASSERT_TRUE(test);
  const auto noise = FixedWorkLaplace::Create(ExactRate(test->rate()));
  int medium = 0;
  for (std::int64_t value = -300; value < 300; ++value) {
    const std::int64_t noisy = value + noise->Sample(same);
    Answer expected{Zone::kMedium, noisy};
    if (noisy <= -60) expected = {Zone::kLow, 0};
    if (noisy >= 90) expected = {Zone::kHigh, 0};
    if (medium == 100) expected = {};
    EXPECT_EQ(test->Test(value, rng), expected);
    medium += expected.zone == Zone::kMedium ? 1 : 0;
  }
  EXPECT_TRUE(test->halted());
}

TEST(BetweenThresholdsTest, ASavedTestGoesOnAsIfNothingHappened) {
  const Params params{
      .epsilon = 1, .delta = 1e-6, .low = 0, .high = 80, .reports = 30};
  testing::SeededRng rng(9);
  auto test = BetweenThresholds::Create(params);
  ASSERT_TRUE(test);
  for (int i = 0; i < 10; ++i) test->Test(40, rng);
  ByteWriter writer;
  test->Save(writer);
  ByteReader reader(writer.bytes());
  auto loaded = BetweenThresholds::Load(params, reader);
  ASSERT_TRUE(loaded);
  EXPECT_TRUE(reader.Finish());
  testing::SeededRng rng_a(10);
  testing::SeededRng rng_b(10);
  for (int i = 0; i < 200; ++i) {
    EXPECT_EQ(test->Test(40, rng_a), loaded->Test(40, rng_b));
  }
  EXPECT_TRUE(loaded->halted());
  Params other = params;
  other.high = 81;
  ByteReader again(writer.bytes());
  EXPECT_EQ(BetweenThresholds::Load(other, again).error().code,
            ErrorCode::kFailedPrecondition);
  ByteReader cut(std::string_view(writer.bytes()).substr(0, 50));
  EXPECT_EQ(BetweenThresholds::Load(params, cut).error().code,
            ErrorCode::kCorruption);
}

// Zone and released value against BetweenThresholdsDistribution, thresholds 0
// and 4, alpha = 1e-6.
TEST(BetweenThresholdsStatisticalTest, AnswersFollowTheCheckedDistribution) {
  constexpr int kTrials = 200'000;
  testing::SeededRng rng(77);
  const auto test = BetweenThresholds::Create(
      {.epsilon = 3, .low = 0, .high = 4, .rate = 0.3});
  ASSERT_TRUE(test);
  const DiscreteLaplaceDistribution<double> distribution(std::exp(-0.3));
  for (const int value : {-2, 1, 5}) {
    std::array<std::uint64_t, 5> counts{};
    for (int i = 0; i < kTrials; ++i) {
      auto copy = *test;
      const Answer answer = copy.Test(value, rng);
      auto bin = static_cast<std::size_t>(answer.noisy);
      if (answer.zone == Zone::kHigh) bin = 4;
      ++counts[bin];
    }
    std::array<double, 5> probabilities{};
    for (int n = 0; n <= 4; ++n) {
      probabilities[static_cast<std::size_t>(n)] =
          distribution.ClampedMass(value, n, 0, 4);
    }
    EXPECT_GT(ChiSquaredPValue(counts, probabilities), 1e-6);
  }
}

}  // namespace
}  // namespace sotto
