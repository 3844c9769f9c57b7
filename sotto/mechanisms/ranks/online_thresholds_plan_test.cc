#include "sotto/mechanisms/ranks/online_thresholds_plan.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sotto/accounting/renyi.h"

namespace sotto {
namespace {

using Params = OnlineThresholdsBudget::Params;

TEST(OnlineThresholdsPlanTest, EveryPlanFitsTheBudgetAndTheBudgetTheTarget) {
  for (const double epsilon : {0.1, 1.0, 4.0}) {
    const auto budget = OnlineThresholdsBudget::Create(
        {.epsilon = epsilon, .delta = 1e-6, .horizon = 1000});
    ASSERT_TRUE(budget);
    EXPECT_LT(DeltaAtOrder(budget->order(), budget->log_moment(), epsilon),
              1e-6);
    for (const std::int64_t size : {-50, 0, 1000, 100'000, 1 << 30}) {
      const auto plan = budget->PlanFor(size);
      ASSERT_TRUE(plan);
      EXPECT_LE(budget->Spent(*plan), budget->log_moment());
      // Variances are integers: small ones leave a rest.
      const double used = plan->value_variance > 50 ? 0.99 : 0.6;
      EXPECT_GT(budget->Spent(*plan), used * budget->log_moment());
      EXPECT_GE(std::ldexp(static_cast<double>(plan->width),
                           static_cast<int>(plan->tests)),
                static_cast<double>(size));
    }
  }
}

// A test with 20 % less noise, the rest as it was: not paid for.
TEST(OnlineThresholdsPlanTest, LessNoiseThanPlannedIsOverBudget) {
  const auto budget = OnlineThresholdsBudget::Create(
      {.epsilon = 1, .delta = 1e-6, .horizon = 1000});
  ASSERT_TRUE(budget);
  auto plan = *budget->PlanFor(100'000);
  plan.rate *= 1.25;
  EXPECT_GT(budget->Spent(plan), budget->log_moment());
}

// One order for all sizes costs little: what the best order of each size would
// allow, by DeltaFromRenyi on the same plan, is at least 0.7 delta.
TEST(OnlineThresholdsPlanTest, TheFixedOrderIsNearTheBest) {
  const auto budget = OnlineThresholdsBudget::Create(
      {.epsilon = 1, .delta = 1e-6, .horizon = 1000});
  ASSERT_TRUE(budget);
  for (const std::int64_t size : {10'000, 100'000, 10'000'000}) {
    const auto plan = *budget->PlanFor(size);
    const double sigma =
        std::sqrt(static_cast<double>(budget->size_variance()));
    const RenyiCurve curve =
        GaussianCurve(sigma).ComposedWith(RenyiCurve([&plan](double order) {
          return OnlineThresholdsLogMoment(plan, plan.tests, plan.values - 1,
                                           order);
        }));
    const double delta = DeltaFromRenyi(curve, 1);
    EXPECT_LE(delta, 1e-6);
    EXPECT_GT(delta, 0.7e-6);
  }
}

TEST(OnlineThresholdsPlanTest, FiguresForAHundredThousandRecords) {
  const auto budget = OnlineThresholdsBudget::Create(
      {.epsilon = 1, .delta = 1e-6, .horizon = 100'000});
  ASSERT_TRUE(budget);
  const auto plan = *budget->PlanFor(100'000);
  EXPECT_EQ(plan.tests, 9);
  EXPECT_EQ(plan.values, 10);
  EXPECT_LT(1 / plan.rate, 42);
  EXPECT_LT(plan.value_variance, 441);
  EXPECT_EQ(plan.SearchDepth(), 11);
}

TEST(OnlineThresholdsPlanTest, ErrorBoundsFollowTheirFormulas) {
  const OnlineThresholdsPlan plan{
      .rate = 0.1, .band = 20, .value_variance = 100, .size_variance = 400};
  // 10 p^3 for each of 1,000 decisions, p = e^-(0.1 (t + 10)).
  EXPECT_EQ(plan.DecisionError(1000, 0.05),
            std::ceil(10 * std::log(10 * 1000 / 0.05) / 3 - 10));
  EXPECT_EQ(plan.SizeError(0.05), std::ceil(20 * std::sqrt(2 * std::log(80))));
  EXPECT_EQ(plan.ValueError(5, 0, 0.05), 0);
  // Two of three earlier releases and the fifth itself: 3 sets.
  EXPECT_EQ(plan.ValueError(5, 3, 0.05),
            std::ceil(10 * std::sqrt(6 * std::log(3 * 2 * 30 * 12 / 0.05))));
}

TEST(OnlineThresholdsPlanTest, RejectsParametersOutsideTheContract) {
  for (const Params& bad :
       {Params{.epsilon = 0, .delta = 1e-6, .horizon = 1},
        Params{.epsilon = 17, .delta = 1e-6, .horizon = 1},
        Params{.epsilon = std::nan(""), .delta = 1e-6, .horizon = 1},
        Params{.epsilon = 1, .delta = 0, .horizon = 1},
        Params{.epsilon = 1, .delta = 0.6, .horizon = 1},
        Params{.epsilon = 1, .delta = 1e-6, .horizon = 0},
        Params{.epsilon = 1,
        .delta = 1e-6,
        .horizon = OnlineThresholdsBudget::kMaxHorizon + 1}}) {
    const auto budget = OnlineThresholdsBudget::Create(bad);
    ASSERT_FALSE(budget);
    EXPECT_EQ(budget.error().code, ErrorCode::kInvalidArgument);
  }
  // Below what the samplers may cost.
  const auto budget = OnlineThresholdsBudget::Create(
      {.epsilon = 1, .delta = 1e-20, .horizon = 1'000'000});
  ASSERT_FALSE(budget);
  EXPECT_EQ(budget.error().code, ErrorCode::kNotConverged);
}

// A plan with less noise than the budget has costs more than was asked for: the
// promise is made from what is spent.
TEST(OnlineThresholdsPlanTest, DeltaIsThatOfWhatIsSpent) {
  const auto budget = OnlineThresholdsBudget::Create(
      {.epsilon = 1, .delta = 1e-6, .horizon = 1000});
  ASSERT_TRUE(budget);
  auto plan = budget->PlanFor(100'000);
  ASSERT_TRUE(plan);
  EXPECT_LE(budget->Delta(*plan), 1e-6 * (1 + 1e-9));
  EXPECT_GE(budget->Delta(*plan), 0.99e-6);
  plan->rate *= 1.05;
  EXPECT_GT(budget->Delta(*plan), 1.01e-6);
  plan->rate /= 1.05;
  ++plan->tests;
  EXPECT_GT(budget->Delta(*plan), 1.01e-6);
}

}  // namespace
}  // namespace sotto
