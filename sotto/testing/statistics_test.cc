#include "sotto/testing/statistics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

namespace sotto {
namespace {

using Counts = std::vector<std::uint64_t>;
using Distribution = std::vector<double>;

TEST(ChiSquaredTest, IsExponentialWithTwoDegreesOfFreedom) {
  // Statistic (6^2 + 4^2 + 2^2) / 20 = 2.8.
  EXPECT_NEAR(ChiSquaredPValue(Counts{26, 16, 18},
                               Distribution{1. / 3, 1. / 3, 1. / 3}),
              std::exp(-1.4), 1e-12);
}

TEST(ChiSquaredTest, MatchesTheNormalDistributionWithOneDegreeOfFreedom) {
  // Statistic 10^2 / 50 * 2 = 4: two standard deviations.
  EXPECT_NEAR(ChiSquaredPValue(Counts{60, 40}, Distribution{0.5, 0.5}),
              std::erfc(std::sqrt(2.0)), 1e-12);
}

TEST(ChiSquaredTest, RefusesThinBinsAndImpossibleHits) {
  EXPECT_TRUE(
      std::isnan(ChiSquaredPValue(Counts{5, 1}, Distribution{0.9, 0.1})));
  EXPECT_TRUE(
      std::isnan(ChiSquaredPValue(Counts{50, 50}, Distribution{0.5, 0.4})));
  EXPECT_EQ(ChiSquaredPValue(Counts{50, 50, 1}, Distribution{0.5, 0.5, 0}), 0);
  EXPECT_EQ(ChiSquaredPValue(Counts{50, 50, 0}, Distribution{0.5, 0.5, 0}), 1);
}

TEST(ChiSquaredTest, TwoSampleFormMatchesTheContingencyTable) {
  // Expected counts 37.5, 42.5, 20 in both rows.
  const double statistic = 2 * (7.5 * 7.5 / 37.5 + 7.5 * 7.5 / 42.5);
  EXPECT_NEAR(
      ChiSquaredTwoSamplePValue(Counts{30, 50, 20, 0}, Counts{45, 35, 20, 0}),
      std::exp(-statistic / 2), 1e-12);
  EXPECT_TRUE(
      std::isnan(ChiSquaredTwoSamplePValue(Counts{30, 1}, Counts{30, 2})));
}

TEST(KsTest, IsTheDkwBoundOnBins) {
  // n = 1000, D = 0.06.
  EXPECT_NEAR(KsPValue(Counts{560, 440}, Distribution{0.5, 0.5}),
              2 * std::exp(-2 * 1000 * 0.06 * 0.06), 1e-12);
  EXPECT_EQ(KsPValue(Counts{1, 0}, Distribution{0, 1}), 0);
  EXPECT_EQ(KsPValue(Counts{500, 500}, Distribution{0.5, 0.5}), 1);
}

TEST(KsTest, LooksOnBothSidesOfEverySample) {
  // 100 samples at 0.5 of a uniform distribution: D = 1/2 from either side.
  const std::vector<double> samples(100, 0.5);
  EXPECT_NEAR(KsPValue(samples, [](double x) { return x; }),
              2 * std::exp(-50.0), 1e-25);
  EXPECT_TRUE(std::isnan(
      KsPValue(std::vector<double>{0.5, 0.4}, [](double x) { return x; })));
}

TEST(KsTest, TwoSampleFormTakesTheConstantOfItsSize) {
  EXPECT_NEAR(KsTwoSamplePValue(Counts{600, 400}, Counts{500, 500}),
              2 * std::exp(-10.0), 1e-12);
  EXPECT_NEAR(KsTwoSamplePValue(Counts{60, 40}, Counts{30, 70}),
              std::exp(1 - 9.0), 1e-12);
  EXPECT_TRUE(std::isnan(KsTwoSamplePValue(Counts{60, 40}, Counts{30, 71})));
}

}  // namespace
}  // namespace sotto
