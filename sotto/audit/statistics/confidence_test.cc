#include "sotto/audit/statistics/confidence.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

namespace sotto {
namespace {

double BinomialTail(int hits, int trials, double p) {
  double sum = 0;
  for (int k = hits; k <= trials; ++k) {
    sum += std::exp(std::lgamma(trials + 1) - std::lgamma(k + 1) -
                    std::lgamma(trials - k + 1)) *
           std::pow(p, k) * std::pow(1 - p, trials - k);
  }
  return sum;
}

TEST(ClopperPearsonTest, MatchesTheClosedFormAtTheEnds) {
  EXPECT_NEAR(ClopperPearsonUpper(0, 50, 1e-6), 1 - std::pow(1e-6, 1.0 / 50),
              1e-11);
  EXPECT_NEAR(ClopperPearsonLower(50, 50, 1e-6), std::pow(1e-6, 1.0 / 50),
              1e-11);
  EXPECT_EQ(ClopperPearsonLower(0, 50, 1e-6), 0);
  EXPECT_EQ(ClopperPearsonUpper(50, 50, 1e-6), 1);
}

TEST(ClopperPearsonTest, InvertsTheBinomialTail) {
  for (int hits : {1, 3, 17, 39}) {
    const double lower = ClopperPearsonLower(hits, 40, 0.01);
    EXPECT_NEAR(BinomialTail(hits, 40, lower), 0.01, 1e-9);
    const double upper = ClopperPearsonUpper(hits, 40, 0.01);
    EXPECT_NEAR(1 - BinomialTail(hits + 1, 40, upper), 0.01, 1e-9);
  }
}

TEST(ClopperPearsonTest, RejectsMalformedArguments) {
  EXPECT_TRUE(std::isnan(ClopperPearsonLower(3, 2, 0.1)));
  EXPECT_TRUE(std::isnan(ClopperPearsonUpper(0, 0, 0.1)));
  EXPECT_TRUE(std::isnan(ClopperPearsonUpper(0, 9, 0.0)));
}

TEST(EpsilonLowerBoundTest, CombinesBothBoundsAtHalfAlpha) {
  const double p = ClopperPearsonLower(900, 1000, 5e-7);
  const double q = ClopperPearsonUpper(100, 1000, 5e-7);
  EXPECT_DOUBLE_EQ(EpsilonLowerBound(900, 100, 1000, 0.01, 1e-6),
                   std::log((p - 0.01) / q));
  EXPECT_DOUBLE_EQ(DeltaLowerBound(900, 100, 1000, 0.5, 1e-6),
                   p - std::exp(0.5) * q);
}

TEST(EpsilonLowerBoundTest, IsZeroForAnUninformativeEvent) {
  EXPECT_EQ(EpsilonLowerBound(100, 100, 1000, 0, 1e-6), 0);
  EXPECT_EQ(EpsilonLowerBound(3, 0, 1000, 0.1, 1e-6), 0);
  EXPECT_EQ(DeltaLowerBound(100, 100, 1000, 0, 1e-6), 0);
}

TEST(EpsilonLowerBoundTest, StaysFiniteWhenTheOtherWorldNeverHits) {
  const double epsilon = EpsilonLowerBound(1000, 0, 1000, 0, 1e-6);
  EXPECT_GT(epsilon, 4);
  EXPECT_LT(epsilon, std::log(1000));
}

}  // namespace
}  // namespace sotto
