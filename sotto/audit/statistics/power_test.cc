#include "sotto/audit/statistics/power.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

#include "sotto/audit/statistics/confidence.h"

namespace sotto {
namespace {

constexpr double kAlpha = 1e-6 / 16;

// Pr[Bin(trials, p) = hits].
double Binomial(std::uint64_t hits, std::uint64_t trials, double p) {
  const auto k = static_cast<double>(hits);
  const auto n = static_cast<double>(trials);
  return std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) -
                  std::lgamma(n - k + 1) + k * std::log(p) +
                  (n - k) * std::log1p(-p));
}

// The probability that randomised response at `epsilon` is reported, over all
// pairs of counts.
double ExactPower(const AuditPower& power, double epsilon, std::uint64_t runs) {
  const double rate = GuessRate(epsilon, power.delta);
  double sum = 0;
  for (std::uint64_t hits = 0; hits <= runs; ++hits) {
    for (std::uint64_t others = 0; others <= runs; ++others) {
      if (CountedEpsilon(power, hits, others, runs) <= power.epsilon) continue;
      sum += Binomial(hits, runs, rate) * Binomial(others, runs, 1 - rate);
    }
  }
  return sum;
}

TEST(PowerTest, ADetectableLeakIsReportedAsOftenAsStated) {
  for (const bool guesses : {false, true}) {
    const AuditPower power{.epsilon = 0.5, .alpha = 1e-3, .guesses = guesses};
    const double leak = DetectableEpsilon(power, 60);
    EXPECT_GE(ExactPower(power, leak, 60), kAuditPower);
    EXPECT_LT(ExactPower(power, 0.75 * leak, 60), kAuditPower);
  }
}

TEST(PowerTest, ASoundProgramIsReportedNoMoreOftenThanStated) {
  for (const double delta : {0.0, 0.05}) {
    const AuditPower power{
        .epsilon = 0.5, .delta = delta, .alpha = 1e-2, .guesses = true};
    EXPECT_LE(ExactPower(power, power.epsilon, 50), power.alpha);
  }
}

TEST(PowerTest, TooFewRunsShowNothing) {
  EXPECT_TRUE(std::isinf(DetectableEpsilon({.epsilon = 5}, 128)));
  EXPECT_TRUE(std::isinf(DetectableEpsilon({.epsilon = 1}, 0)));
}

TEST(PowerTest, RunsForPowerAreEnoughAndNoMore) {
  for (const double epsilon : {0.1, 1.0, 3.0}) {
    for (const bool guesses : {false, true}) {
      const AuditPower power{
          .epsilon = epsilon, .alpha = kAlpha, .guesses = guesses};
      const std::uint64_t runs = RunsForPower(power);
      const double leak = MaterialEpsilon(epsilon);
      EXPECT_LE(DetectableEpsilon(power, runs), leak * 1.002);
      EXPECT_GT(DetectableEpsilon(power, runs / 2), leak);
    }
  }
}

TEST(PowerTest, CertaintyNeedsAsManyRunsAsTheClosedForm) {
  // All guesses are right: (e / (1 + e))^(2n) is at most alpha / 2.
  const AuditPower power{.epsilon = 1, .alpha = kAlpha, .guesses = true};
  const double each = 2 * std::log(GuessRate(1, 0));
  EXPECT_EQ(
      RunsForCertainty(power),
      static_cast<std::uint64_t>(std::floor(std::log(kAlpha / 2) / each) + 1));
}

TEST(PowerTest, AMaterialLeakIsTwiceTheClaimOrOneMore) {
  EXPECT_EQ(MaterialEpsilon(3), 6);
  EXPECT_EQ(MaterialEpsilon(0.25), 1.25);
}

}  // namespace
}  // namespace sotto
