#include "sotto/models/points/lopsided_step.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sotto/mechanisms/mirrors/mirror_test_chain.h"
#include "sotto/mechanisms/mirrors/random_step.h"
#include "sotto/testing/exact_game.h"

namespace sotto {
namespace {

// Every adaptive adversary, each direction at its own epsilon; world P holds
// the hidden one.
TEST(LopsidedStepTest, EachDirectionKeepsItsOwnBudget) {
  const LopsidedStep::Budgets rows[] = {{{1.2, 0.05}, {0.3, 0.02}},
                                        {{0.9, 0.02}, {0.2, 0.05}},
                                        {{0.5, 0.1}, {1.5, 0.01}}};
  for (const auto& budgets : rows) {
    const auto step = LopsidedStep::Create(budgets);
    ASSERT_TRUE(step);
    const auto horizon = static_cast<int>(step->worst_mistakes()) + 3;
    const ExactGame game(
        ChallengeDistribution(MakeChain<double>(step->distribution())),
        horizon);
    const auto up =
        game.Delta(std::exp(budgets.one_over_zero.epsilon), Direction::kPOverQ);
    const auto down =
        game.Delta(std::exp(budgets.zero_over_one.epsilon), Direction::kQOverP);
    ASSERT_TRUE(up && down);
    EXPECT_NEAR(*up, step->certified().one_over_zero.delta, 1e-9);
    EXPECT_NEAR(*down, step->certified().zero_over_one.delta, 1e-9);
    EXPECT_LE(step->certified().one_over_zero.delta,
              budgets.one_over_zero.delta);
    EXPECT_LE(step->certified().zero_over_one.delta,
              budgets.zero_over_one.delta);
  }
}

TEST(LopsidedStepTest, ADirectionDoesNotKeepTheBudgetOfTheOther) {
  const auto step = LopsidedStep::Create({{1.2, 0.05}, {0.3, 0.05}});
  ASSERT_TRUE(step);
  const ExactGame game(
      ChallengeDistribution(MakeChain<double>(step->distribution())), 16);
  EXPECT_GT(*game.Delta(std::exp(0.3), Direction::kPOverQ), 0.1);
}

TEST(LopsidedStepTest, EndsFarSoonerThanASymmetricLawOfTheSameSum) {
  const auto step = LopsidedStep::Create({{1.25, 2.5e-7}, {0.25, 2.5e-7}});
  const auto even = RandomStep::Create({.epsilon = 0.75, .delta = 2.5e-7});
  ASSERT_TRUE(step && even);
  EXPECT_LT(3 * step->expected_mistakes(), even->expected_mistakes());
}

TEST(LopsidedStepTest, RefusesWhatItCannotPromise) {
  EXPECT_FALSE(LopsidedStep::Create({{0.6, 1e-6}, {1, 1e-6}}));
  EXPECT_FALSE(LopsidedStep::Create({{1, 1e-6}, {0, 1e-6}}));
  EXPECT_FALSE(LopsidedStep::Create({{1, 0}, {1, 1e-6}}));
  EXPECT_FALSE(LopsidedStep::Create({{1, 1e-6}, {NAN, 1e-6}}));
}

}  // namespace
}  // namespace sotto
