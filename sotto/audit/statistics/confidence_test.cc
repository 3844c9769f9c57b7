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

// Probability that the bound exceeds the claim, for an event of probability p
// in its world and q in the other, over all counts.
double FalseAlarm(double p, double q, int runs, double epsilon, double delta,
                  double alpha, bool coupled) {
  const auto reported = [&](int hits, int others) {
    return EpsilonByGuesses(static_cast<std::uint64_t>(hits + runs - others),
                            2 * static_cast<std::uint64_t>(runs), delta,
                            alpha) > epsilon;
  };
  const auto chance = [&](int hits, double rate) {
    return BinomialTail(hits, runs, rate) - BinomialTail(hits + 1, runs, rate);
  };
  double sum = 0;
  for (int hits = 0; hits <= runs; ++hits) {
    if (coupled) {
      sum += reported(hits, runs - hits) ? chance(hits, p) : 0;
      continue;
    }
    for (int others = 0; others <= runs; ++others) {
      if (reported(hits, others)) sum += chance(hits, p) * chance(others, q);
    }
  }
  return sum;
}

TEST(EpsilonByGuessesTest, FailsNoMoreOftenThanAlphaForEveryEvent) {
  constexpr double kEpsilon = 0.7;
  constexpr double kAlpha = 0.01;
  for (const double delta : {0.0, 0.1}) {
    for (double q = 0.02; q < 0.9; q += 0.08) {
      const double p = std::min(std::exp(kEpsilon) * q + delta,
                                1 - std::exp(-kEpsilon) * (1 - delta - q));
      if (p >= 1) continue;
      EXPECT_LE(FalseAlarm(p, q, 20, kEpsilon, delta, kAlpha, false), kAlpha);
    }
  }
}

TEST(EpsilonByGuessesTest, RunsThatShareTheirNoiseBreakIt) {
  const double rate = GuessRate(0.7, 0);
  EXPECT_GT(FalseAlarm(rate, 1 - rate, 20, 0.7, 0, 0.01, true), 0.01);
}

TEST(EpsilonByGuessesTest, MatchesTheClosedFormWhereAllAreRight) {
  const double rate = std::pow(1e-6, 1.0 / 80);
  EXPECT_NEAR(EpsilonByGuesses(80, 80, 0, 1e-6), std::log(rate / (1 - rate)),
              1e-9);
  EXPECT_EQ(EpsilonByGuesses(40, 80, 0, 1e-6), 0);
  EXPECT_TRUE(std::isnan(EpsilonByGuesses(40, 80, 0, 0.3)));
}

TEST(GuessRateTest, IsThatOfRandomisedResponse) {
  EXPECT_DOUBLE_EQ(GuessRate(std::log(3), 0), 0.75);
  EXPECT_DOUBLE_EQ(GuessRate(std::log(3), 0.2), 0.8);
  EXPECT_DOUBLE_EQ(GuessRate(800, 0), 1);
}

TEST(RoughEpsilonTest, IsNearTheExactBound) {
  // 4.89 standard deviations have a probability of 5e-7.
  EXPECT_NEAR(RoughEpsilon(9000, 1000, 10000, 0.01, 4.89),
              EpsilonLowerBound(9000, 1000, 10000, 0.01, 1e-6), 0.02);
  EXPECT_NEAR(RoughEpsilonByGuesses(9000, 10000, 0.01, 4.75),
              EpsilonByGuesses(9000, 10000, 0.01, 1e-6), 0.02);
}

}  // namespace
}  // namespace sotto
