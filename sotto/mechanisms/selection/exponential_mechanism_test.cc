#include "sotto/mechanisms/selection/exponential_mechanism.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "sotto/mechanisms/selection/selection_test_distribution.h"
#include "sotto/testing/exact_number.h"
#include "sotto/testing/seeded_rng.h"
#include "sotto/testing/statistics.h"

namespace sotto {
namespace {

using Exact = ExactNumber;

std::vector<Exact> Distribution(const Scores& scores) {
  return ExponentialDistribution(Exact(2), scores);
}

TEST(ExponentialMechanismTest, MonotoneScoresCostTheRateAndGeneralOnesTwice) {
  const auto monotone = WorstRatio<Exact>(Distribution, 3, 3, 0, 1);
  EXPECT_LE(monotone, 2);
  EXPECT_GT(monotone, Exact(17) / 10);
  const auto general = WorstRatio<Exact>(Distribution, 3, 3, 1, 1);
  EXPECT_LE(general, 4);
  EXPECT_GT(general, Exact(3));
}

TEST(ExponentialMechanismTest, TheRatioEpsilonIsApproached) {
  const auto before = Distribution({0, 40});
  const auto after = Distribution({1, 40});
  EXPECT_LE(after[0] / before[0], 2);
  EXPECT_GT(after[0] / before[0], 2 - Exact(1) / 1'000'000'000);
}

TEST(ExponentialMechanismTest, AtTheMonotoneRateGeneralScoresAreNotPrivate) {
  // The broken variant: epsilon = ln 2, rate epsilon / sensitivity, and scores
  // that move against each other.
  EXPECT_GT(Distribution({1, 19})[0] / Distribution({0, 20})[0],
            Exact(39) / 10);
}

TEST(ExponentialMechanismTest, RateIsTheLargestThatIsProved) {
  const auto general =
      SelectionRate({.epsilon = 1, .sensitivity = 3, .candidates = 2});
  ASSERT_TRUE(general);
  EXPECT_LE(general->ToDoubleUp(), 1.0 / 6);
  EXPECT_GT(general->ToDoubleUp(), std::nextafter(1.0 / 6, 0) - 1e-16);
  const auto monotone = SelectionRate(
      {.epsilon = 0.5, .sensitivity = 2, .candidates = 2, .monotone = true});
  ASSERT_TRUE(monotone);
  EXPECT_EQ(monotone->ToString(), "1/4");
}

TEST(ExponentialMechanismTest, StatesItsGuarantee) {
  const auto choose = ExponentialMechanism::Create(
      {.epsilon = 1, .candidates = 1000, .monotone = true});
  ASSERT_TRUE(choose);
  EXPECT_EQ(choose->guarantee().epsilon(), 1);
  EXPECT_EQ(choose->guarantee().relation(), Relation::kAddRemove);
  EXPECT_GE(choose->guarantee().delta(), 3.71 * 0x1p-104);
  EXPECT_LE(choose->guarantee().delta(), 3.72 * 0x1p-104);
  EXPECT_NEAR(choose->zcdp().rho, 0.125, 1e-15);
  EXPECT_GE(choose->zcdp().rho, 0.125);
}

TEST(ExponentialMechanismTest, LossBoundIsTheLeastForTheWorstScores) {
  const auto choose = ExponentialMechanism::Create(
      {.epsilon = 1, .candidates = 100, .monotone = true});
  ASSERT_TRUE(choose);
  const std::int64_t bound = choose->LossBound(0.05);
  const auto tail = [](std::int64_t loss) {
    const double others = 99 * std::exp(-static_cast<double>(loss));
    return others / (1 + others);
  };
  EXPECT_EQ(bound, 7);
  EXPECT_LE(tail(bound + 1), 0.05);
  EXPECT_GT(tail(bound), 0.05);
}

TEST(ExponentialMechanismTest, RejectsWhatTheContractForbids) {
  for (const SelectionParams& bad :
       {SelectionParams{.epsilon = 0, .candidates = 2},
        {.epsilon = NAN, .candidates = 2},
        {.epsilon = 17, .candidates = 2},
        {.epsilon = 1},
        {.epsilon = 1, .sensitivity = 0, .candidates = 2},
        {.epsilon = 1e-15, .sensitivity = 1, .candidates = 2},
        {.epsilon = 1, .candidates = (std::size_t{1} << 24) + 1}}) {
    const auto choose = ExponentialMechanism::Create(bad);
    ASSERT_FALSE(choose) << bad.epsilon;
    EXPECT_EQ(choose.error().code, ErrorCode::kInvalidArgument);
  }
  const auto choose =
      ExponentialMechanism::Create({.epsilon = 1, .candidates = 2});
  testing::SeededRng rng(1);
  EXPECT_FALSE(choose->Select(Scores{1, 2, 3}, rng));
  EXPECT_FALSE(choose->SelectExactly(Scores{}, rng));
}

// alpha = 1e-6.
// Printed lines: [Winnow] Exponential Mechanism: its distribution.
TEST(ExponentialMechanismStatisticalTest, BothFormsFollowTheDistribution) {
  const Scores scores = {5, 3, 6, 6, 0};
  const auto choose = ExponentialMechanism::Create(
      {.epsilon = 1, .sensitivity = 1, .candidates = 5});
  ASSERT_TRUE(choose);
  const auto distribution = ExponentialDistribution(std::exp(0.5), scores);
  testing::SeededRng rng(5);
  std::vector<std::uint64_t> fixed(5);
  std::vector<std::uint64_t> exact(5);
  for (int i = 0; i < 200'000; ++i) {
    ++fixed[*choose->Select(scores, rng)];
    ++exact[*choose->SelectExactly(scores, rng)];
  }
  EXPECT_GT(ChiSquaredPValue(fixed, distribution), 1e-6);
  EXPECT_GT(ChiSquaredPValue(exact, distribution), 1e-6);
}

}  // namespace
}  // namespace sotto
