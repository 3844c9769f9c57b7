#include "sotto/models/littlestone/finite_class_plan.h"

#include <gtest/gtest.h>

namespace sotto {
namespace {

FiniteClassOptions MakeOptions(const char* kind, std::uint64_t points) {
  return {.functions = std::make_shared<const FiniteClass>(
              *FiniteClass::Named(kind, points)),
          .user = {1, 1e-6}};
}

TEST(FiniteClassPlanTest, ChoosesParametersThatUseUpTheBudget) {
  const auto params = ChooseFiniteClass(MakeOptions("thresholds", 1023));
  ASSERT_TRUE(params);
  EXPECT_TRUE(FiniteClassLearner::Create(*params));
  const double delta = FiniteClassDelta(*params, 1);
  EXPECT_LE(delta, 1e-6);
  EXPECT_GT(delta, 0.99e-6);
  EXPECT_EQ(params->votes, 3);
  EXPECT_EQ(params->weights.size(), 36);
}

TEST(FiniteClassPlanTest, TakesWishesAndKeepsToTheBudget) {
  for (const auto relation : {Relation::kReplace, Relation::kAddRemove}) {
    for (const std::uint64_t rounds : {1, 3}) {
      FiniteClassOptions options = MakeOptions("points", 64);
      options.relation = relation;
      options.rounds_per_user = rounds;
      options.votes = 5;
      options.changes = 7;
      options.limit = 11;
      options.stopper = 0.05;
      const auto params = ChooseFiniteClass(options);
      ASSERT_TRUE(params);
      EXPECT_EQ(params->votes, 5);
      EXPECT_EQ(params->weights.size(), 7);
      EXPECT_EQ(params->limit, 11);
      EXPECT_EQ(params->stopper, 0.05);
      const auto learner = FiniteClassLearner::Create(*params);
      ASSERT_TRUE(learner);
      EXPECT_EQ(learner->guarantee().epsilon(), 1);
      EXPECT_EQ(learner->guarantee().delta(), 1e-6);
    }
  }
}

TEST(FiniteClassPlanTest, RefusesWhatCostsTooMuch) {
  FiniteClassOptions options = MakeOptions("points", 64);
  options.stopper = 2;  // more than all there is
  EXPECT_FALSE(ChooseFiniteClass(options));
  options = MakeOptions("points", 64);
  options.user.delta = 0;
  EXPECT_FALSE(ChooseFiniteClass(options));
  auto params = *ChooseFiniteClass(MakeOptions("points", 64));
  params.weights[0] *= 2;  // a mistake weighs more than was accounted for
  const auto heavy = FiniteClassLearner::Create(params);
  ASSERT_FALSE(heavy);
  EXPECT_EQ(heavy.error().code, ErrorCode::kBudgetExhausted);
  params = *ChooseFiniteClass(MakeOptions("points", 64));
  params.votes = 2;
  EXPECT_FALSE(FiniteClassLearner::Create(params));
}

}  // namespace
}  // namespace sotto
