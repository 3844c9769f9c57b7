#include "sotto/mechanisms/selection/permute_and_flip.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "sotto/mechanisms/selection/exponential_mechanism.h"
#include "sotto/mechanisms/selection/selection_test_distribution.h"
#include "sotto/testing/exact_number.h"
#include "sotto/testing/seeded_rng.h"
#include "sotto/testing/statistics.h"

namespace sotto {
namespace {

using Exact = ExactNumber;

std::vector<Exact> Distribution(const Scores& scores) {
  return PermuteAndFlipDistribution(Exact(2), scores);
}

// As the paper has it: in every order, the first head.
std::vector<Exact> DistributionByOrders(const Exact& base,
                                        const Scores& scores) {
  const std::int64_t best = *std::ranges::max_element(scores);
  std::vector<Exact> distribution(scores.size(), Exact(0));
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < scores.size(); ++i) order.push_back(i);
  Exact orders = 0;
  do {
    orders += 1;
    Exact tails = 1;
    for (const std::size_t i : order) {
      const Exact heads = Coin(base, best, scores[i]);
      distribution[i] += tails * heads;
      tails *= 1 - heads;
    }
  } while (std::ranges::next_permutation(order).found);
  for (Exact& p : distribution) p /= orders;
  return distribution;
}

TEST(PermuteAndFlipTest, TossingAllCoinsGivesTheDistributionOfThePaper) {
  ForEachVector(4, 0, 2, [](const Scores& scores) {
    EXPECT_EQ(Distribution(scores), DistributionByOrders(Exact(2), scores));
  });
}

TEST(PermuteAndFlipTest, MonotoneScoresCostTheRateAndGeneralOnesTwice) {
  EXPECT_EQ(WorstRatio<Exact>(Distribution, 3, 3, 0, 1), 2);
  EXPECT_EQ(WorstRatio<Exact>(Distribution, 3, 3, 1, 1), 4);
}

TEST(PermuteAndFlipTest, AtTheMonotoneRateGeneralScoresAreNotPrivate) {
  EXPECT_EQ(Distribution({1, 3})[0] / Distribution({0, 4})[0], 4);
}

// selection.md, steps 1 and 2: cumulative probabilities from the best score
// down.
TEST(PermuteAndFlipTest, LosesLessThanExponentialAndMoreThanItAtTwiceTheRate) {
  const auto wins = [](const std::vector<Exact>& distribution,
                       const Scores& scores, std::int64_t from) {
    Exact sum = 0;
    for (std::size_t i = 0; i < scores.size(); ++i) {
      if (scores[i] >= from) sum += distribution[i];
    }
    return sum;
  };
  ForEachVector(4, 0, 3, [&](const Scores& scores) {
    for (std::int64_t from = 1; from <= 3; ++from) {
      const Exact flip = wins(Distribution(scores), scores, from);
      EXPECT_GE(flip,
                wins(ExponentialDistribution(Exact(2), scores), scores, from));
      EXPECT_LE(flip,
                wins(ExponentialDistribution(Exact(4), scores), scores, from));
    }
  });
}

TEST(PermuteAndFlipTest, LossBoundIsTheLeastForTheWorstScores) {
  const SelectionParams params{
      .epsilon = 1, .candidates = 100, .monotone = true};
  const auto choose = PermuteAndFlip::Create(params);
  ASSERT_TRUE(choose);
  const auto tail = [](std::int64_t loss) {
    Scores scores(100, -loss);
    scores[0] = 0;
    // Doubles: the other form of step 6, summed over the number of heads.
    const double p = std::exp(-static_cast<double>(loss));
    return 1 - (1 - std::pow(1 - p, 100)) / (100 * p);
  };
  const std::int64_t bound = choose->LossBound(0.05);
  EXPECT_EQ(bound, 6);
  EXPECT_LE(tail(bound + 1), 0.05);
  EXPECT_GT(tail(bound), 0.05);
  // Far out it gains ln 2 over the exponential mechanism's bound.
  const auto other = ExponentialMechanism::Create(
      {.epsilon = 0.01, .candidates = 100, .monotone = true});
  const auto fine = PermuteAndFlip::Create(
      {.epsilon = 0.01, .candidates = 100, .monotone = true});
  EXPECT_NEAR(
      static_cast<double>(other->LossBound(1e-9) - fine->LossBound(1e-9)),
      100 * std::log(2.0), 1.5);
}

TEST(PermuteAndFlipTest, ChoosesTheOnlyCandidateAndTheFarBest) {
  testing::SeededRng rng(1);
  const auto one = PermuteAndFlip::Create({.epsilon = 1, .candidates = 1});
  EXPECT_EQ(*one->Select(Scores{-7}, rng), 0U);
  const auto three = PermuteAndFlip::Create({.epsilon = 1, .candidates = 3});
  constexpr auto kLow = std::numeric_limits<std::int64_t>::min();
  constexpr auto kHigh = std::numeric_limits<std::int64_t>::max();
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(*three->Select(Scores{kLow, kHigh, kHigh - 1000}, rng), 1U);
  }
  EXPECT_FALSE(three->Select(Scores{1, 2}, rng));
  EXPECT_FALSE(PermuteAndFlip::Create({.epsilon = -1, .candidates = 3}));
}

// alpha = 1e-6.
TEST(PermuteAndFlipStatisticalTest, FollowsTheDistribution) {
  const Scores scores = {5, 3, 6, 6, 0};
  const auto choose = PermuteAndFlip::Create({.epsilon = 1, .candidates = 5});
  ASSERT_TRUE(choose);
  testing::SeededRng rng(6);
  std::vector<std::uint64_t> counts(5);
  for (int i = 0; i < 400'000; ++i) ++counts[*choose->Select(scores, rng)];
  EXPECT_GT(ChiSquaredPValue(counts,
                             PermuteAndFlipDistribution(std::exp(0.5), scores)),
            1e-6);
  // The test rejects the other distribution.
  EXPECT_LT(
      ChiSquaredPValue(counts, ExponentialDistribution(std::exp(0.5), scores)),
      1e-6);
}

}  // namespace
}  // namespace sotto
