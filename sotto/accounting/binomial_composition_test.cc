#include "sotto/accounting/binomial_composition.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace sotto {
namespace {

// All 2^n outcomes, summed in long double.
long double EnumeratedDelta(double each, int n, double epsilon) {
  const long double p = 1 / (1 + std::exp(-static_cast<long double>(each)));
  long double sum = 0;
  for (unsigned outcome = 0; outcome < (1U << n); ++outcome) {
    const int ones = __builtin_popcount(outcome);
    const long double loss = static_cast<long double>(2 * ones - n) * each;
    if (loss <= epsilon) continue;
    sum += std::pow(p, static_cast<long double>(ones)) *
           std::pow(1 - p, static_cast<long double>(n - ones)) *
           -std::expm1(epsilon - loss);
  }
  return sum;
}

TEST(BinomialDeltaTest, EqualsTheEnumerationAndIsNeverBelowIt) {
  for (const double each : {0.01, 0.3, 2.0}) {
    for (const int n : {1, 2, 7, 12}) {
      for (const double share : {0.0, 0.1, 0.5, 0.9, 0.999}) {
        const double epsilon = share * n * each;
        const long double exact = EnumeratedDelta(each, n, epsilon);
        const auto delta =
            BinomialDelta(each, static_cast<std::uint64_t>(n), epsilon);
        ASSERT_TRUE(delta);
        EXPECT_GE(*delta, static_cast<double>(exact * (1 - 1e-16L)));
        EXPECT_LE(*delta, static_cast<double>(exact * (1 + 1e-9L)));
      }
    }
  }
}

TEST(BinomialDeltaTest, IsZeroFromTheSumOfTheEpsilons) {
  EXPECT_EQ(*BinomialDelta(0.5, 4, 2.1), 0);
  EXPECT_GT(*BinomialDelta(0.5, 4, 1.9999999), 0);
}

// The exact values; a discretisation to steps of 1e-4 that rounds losses up
// gives 4.782 and 6.640 instead.
TEST(BinomialEpsilonTest, IsTheExactOptimalComposition) {
  EXPECT_NEAR(*BinomialEpsilon(0.1, 100, 1e-6), 4.774567588, 2e-8);
  EXPECT_NEAR(*BinomialEpsilon(0.01, 10000, 1e-9), 6.171915017, 2e-8);
  EXPECT_NEAR(*BinomialEpsilon(1, 1, 1e-3),
              1 + std::log1p(-1e-3 * (1 + std::exp(-1))), 2e-9);
}

TEST(BinomialEpsilonTest, ApproachesTheGaussianForManySmallLosses) {
  // n e^2 = 1: the Gaussian with mu = 1 has epsilon 4.8865541 at 1e-6.
  EXPECT_NEAR(*BinomialEpsilon(1e-3, 1000000, 1e-6), 4.8865541, 2e-4);
}

// n e^2 = 1 again, at the largest n: still the Gaussian's, and still quick.
TEST(BinomialEpsilonStatisticalTest, HandlesTheLargestCount) {
  EXPECT_NEAR(*BinomialEpsilon(1e-6, 1'000'000'000'000, 1e-6), 4.8865541, 2e-7);
}

TEST(BinomialEpsilonTest, ReturnsASafeEnd) {
  for (const double delta : {1e-250, 1e-30, 1e-9, 0.01, 0.3}) {
    const auto epsilon = BinomialEpsilon(0.02, 5000, delta);
    ASSERT_TRUE(epsilon);
    EXPECT_LE(*BinomialDelta(0.02, 5000, *epsilon), delta * (1 + 1e-12));
    EXPECT_GT(*BinomialDelta(0.02, 5000, *epsilon * (1 - 1e-7)), delta);
  }
}

TEST(BinomialCompositionTest, RefusesWhatItCannotAnswer) {
  EXPECT_FALSE(BinomialDelta(0, 1, 1));
  EXPECT_FALSE(BinomialDelta(std::nan(""), 1, 1));
  EXPECT_FALSE(BinomialDelta(1, 0, 1));
  EXPECT_FALSE(BinomialDelta(1, 2'000'000'000'000, 1));
  EXPECT_FALSE(BinomialDelta(1, 1, -1));
  EXPECT_FALSE(BinomialDelta(1, 1, std::numeric_limits<double>::infinity()));
  EXPECT_FALSE(BinomialEpsilon(1, 1, 0));
  EXPECT_FALSE(BinomialEpsilon(1, 1, 1));
}

}  // namespace
}  // namespace sotto
