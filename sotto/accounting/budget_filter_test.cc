#include "sotto/accounting/budget_filter.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "sotto/accounting/filter_test_game.h"
#include "sotto/accounting/renyi.h"

namespace sotto {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

BudgetFilter Make(double epsilon, double delta, double slack = 0) {
  return *BudgetFilter::Create({.limit = {epsilon, delta}, .slack = slack});
}

// The people of group "a": half of the mechanisms are for everybody, others for
// "a", and some, which they never pay, for "b".
struct BudgetGate {
  BudgetFilter filter;
  bool Admits(const ApproximateDp& cost) {
    if (!filter.Charge({cost.epsilon / 2, cost.delta / 2}, "b")) return false;
    return filter.Charge(cost, cost.epsilon > 0.3 ? "a" : "").has_value();
  }
};

// Broken: starts the mechanism and charges afterwards.
struct LateBudgetGate {
  BudgetFilter filter;
  bool spent = false;
  bool Admits(const ApproximateDp& cost) {
    if (spent) return false;
    spent = !filter.Charge(cost).has_value();
    return true;
  }
};

// Broken: a group pays only its own charges.
struct ForgetfulBudgetGate {
  BudgetFilter everybody;
  BudgetFilter group;
  bool Admits(const ApproximateDp& cost) {
    return (cost.epsilon > 0.3 ? group : everybody).Charge(cost).has_value();
  }
};

// Broken: every order may use all of delta.
struct WholeDeltaGate {
  ApproximateDp limit;
  std::vector<double> spent = std::vector<double>(BudgetFilter::kOrders.size());
  double sum = 0;
  bool Admits(const ApproximateDp& cost) {
    sum += cost.epsilon;
    bool fits = sum <= limit.epsilon;
    for (std::size_t i = 0; i < spent.size(); ++i) {
      const double order = BudgetFilter::kOrders[i];
      spent[i] += PureCurve(cost.epsilon).LogMomentAt(order);
      fits = fits ||
             spent[i] <= LogMomentBudget(order, limit.epsilon, limit.delta);
    }
    return fits;
  }
};

std::vector<Move> SumMoves() {
  return {{5, 0.0078125}, {10, 0.015625}, {5, 0}};
}

TEST(BudgetFilterTest, SumsHoldTheLimitAgainstEveryAdaptiveAdversary) {
  AdaptiveGame<BudgetGate> game(SumMoves(), 1);
  const BudgetFilter filter = Make(1, 0.03125);
  const double exact = game.Delta({filter});
  EXPECT_LE(exact, filter.guaranteed().delta);
  EXPECT_GE(exact, 0.03125 * 0.9);
  AdaptiveGame<LateBudgetGate> late(SumMoves(), 1);
  EXPECT_GT(late.Delta({filter}), 0.03125 * 1.2);
  AdaptiveGame<ForgetfulBudgetGate> forgetful(SumMoves(), 1);
  EXPECT_GT(forgetful.Delta({filter, filter}), 0.03125 * 1.2);
}

TEST(BudgetFilterTest, SlackHoldsTheLimitAgainstEveryAdaptiveAdversary) {
  for (const double slack : {0.01, 0.04}) {
    const BudgetFilter filter = Make(1, 0.05, slack);
    AdaptiveGame<BudgetGate> game({{2, 0}, {4, 0.0005}, {8, 0}}, 1);
    const double exact = game.Delta({filter});
    EXPECT_LE(exact, filter.guaranteed().delta) << slack;
    EXPECT_GT(exact, slack / 400) << slack;
  }
}

TEST(BudgetFilterTest, TheGameRefutesAFilterThatGivesEachOrderAllOfDelta) {
  const ApproximateDp limit{5, 0.01};
  AdaptiveGame<WholeDeltaGate> broken({{4}, {20}, {30}}, limit.epsilon);
  EXPECT_GT(broken.Delta({limit}), limit.delta * 1.02);
  AdaptiveGame<BudgetGate> game({{4}, {20}, {30}}, limit.epsilon);
  EXPECT_LE(game.Delta({Make(5, 0.01, 0.01)}), limit.delta * (1 + 1e-9));
}

TEST(BudgetFilterTest, TenTenthsFitIntoOneAndNoMore) {
  BudgetFilter filter = Make(1, 1e-5);
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(filter.Charge({0.1, 1e-6})) << i;
  EXPECT_EQ(filter.Charge({1e-9, 0}).error().code, ErrorCode::kBudgetExhausted);
  EXPECT_EQ(filter.Charge({0, 1e-9}).error().code, ErrorCode::kBudgetExhausted);
  EXPECT_TRUE(filter.Charge({0, 0}));
  EXPECT_LE(filter.guaranteed().epsilon, 1 + 1e-12);
}

TEST(BudgetFilterTest, GroupsEachHaveWhatEverybodyLeft) {
  BudgetFilter filter = Make(2, 0.5);
  ASSERT_TRUE(filter.Charge({1, 0.25}));
  ASSERT_TRUE(filter.Charge({0.75, 0}, "north"));
  ASSERT_TRUE(filter.Charge({1, 0.25}, "south"));
  EXPECT_FALSE(filter.Charge({0.5, 0}, "north"));
  EXPECT_TRUE(filter.Charge({0.25, 0}, "north"));
  EXPECT_FALSE(filter.Charge({0.25, 0}));  // for everybody: south has no more
  EXPECT_EQ(filter.SpentBy("north"), (ApproximateDp{2, 0.25}));
  EXPECT_EQ(filter.SpentBy(""), (ApproximateDp{1, 0.25}));
  EXPECT_EQ(filter.MostSpent().group, "south");
}

TEST(BudgetFilterTest, SlackAdmitsManySmallChargesAndKeepsItsPartOfDelta) {
  BudgetFilter sums = Make(1, 1e-5);
  BudgetFilter moments = Make(1, 1e-5, 5e-6);
  int sum = 0;
  int moment = 0;
  while (sums.Charge({0.01, 0})) ++sum;
  while (moments.Charge({0.01, 0})) ++moment;
  EXPECT_EQ(sum, 100);
  EXPECT_GT(moment, 250);
  EXPECT_FALSE(Make(1, 1e-5, 5e-6).Charge({0.5, 6e-6}));
  EXPECT_TRUE(Make(1, 1e-5, 5e-6).Charge({1, 5e-6}));
}

TEST(BudgetFilterTest, ARefusedChargeChangesNothing) {
  BudgetFilter filter = Make(1, 0.5);
  ASSERT_TRUE(filter.Charge({0.5, 0.25}, "north"));
  EXPECT_FALSE(filter.Charge({0.75, 0}, "north"));
  EXPECT_FALSE(filter.Charge({2, 0}, "south"));
  EXPECT_EQ(filter.Charge({kNan, 0}).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(filter.Charge({0, -1}).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(filter.SpentBy("north"), (ApproximateDp{0.5, 0.25}));
  EXPECT_TRUE(filter.Charge({0.5, 0.25}));
}

TEST(BudgetFilterTest, RejectsLimitsOutsideTheContract) {
  EXPECT_FALSE(BudgetFilter::Create({.limit = {0, 0}}));
  EXPECT_FALSE(BudgetFilter::Create({.limit = {kNan, 0}}));
  EXPECT_FALSE(BudgetFilter::Create({.limit = {1, 1}}));
  EXPECT_FALSE(BudgetFilter::Create({.limit = {1, 1e-6}, .slack = 2e-6}));
}

}  // namespace
}  // namespace sotto
