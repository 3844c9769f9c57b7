#include "sotto/accounting/privacy_filter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "sotto/accounting/composition.h"
#include "sotto/accounting/filter_test_game.h"

namespace sotto {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();
std::vector<Move> PureMoves() { return {{4}, {10}, {20}}; }
std::vector<double> GameOrders() { return {1.5, 2, 4, 8, 16, 32}; }

struct RenyiGate {
  RenyiFilter filter;
  bool Admits(const ApproximateDp& cost) {
    return filter.Charge(PureCurve(cost.epsilon)).has_value();
  }
};

// Broken: answers first and books afterwards.
struct LateRenyiGate {
  RenyiFilter filter;
  bool spent = false;
  bool Admits(const ApproximateDp& cost) {
    if (spent) return false;
    spent = !filter.Charge(PureCurve(cost.epsilon)).has_value();
    return true;
  }
};

RenyiFilter GameFilter(const std::vector<double>& orders) {
  return *RenyiFilter::Create(orders, PureCurve(0.5).Repeated(4));
}

TEST(RenyiFilterTest, HoldsItsBudgetAgainstEveryAdaptiveAdversary) {
  for (const double epsilon : {0.25, 0.5, 1.0, 1.5}) {
    const RenyiFilter filter = GameFilter(GameOrders());
    AdaptiveGame<RenyiGate> game(PureMoves(), epsilon);
    const double exact = game.Delta({filter});
    EXPECT_LE(exact, filter.BudgetDelta(epsilon)) << epsilon;
    EXPECT_GE(exact, filter.BudgetDelta(epsilon) / 40) << epsilon;
  }
}

TEST(RenyiFilterTest, TheGameRefutesAFilterThatBooksAfterTheAnswer) {
  const RenyiFilter filter = GameFilter(GameOrders());
  AdaptiveGame<LateRenyiGate> game(PureMoves(), 1.5);
  EXPECT_GT(game.Delta({filter}), filter.BudgetDelta(1.5) * 1.05);
}

// Only the lowest order is enforced, and the guarantee read at the best one.
TEST(RenyiFilterTest, TheGameRefutesAFilterThatSkipsOrders) {
  const double claim = GameFilter(GameOrders()).BudgetDelta(2.5);
  AdaptiveGame<RenyiGate> game(PureMoves(), 2.5);
  EXPECT_GT(game.Delta({GameFilter({1.5})}), claim * 1.05);
}

std::vector<Move> CoarseMoves() { return {{4}, {20}, {30}}; }

// Values that SomeOrderGate compares, computed once per game.
struct Orders {
  explicit Orders(const ApproximateDp& target) {
    for (int i = 0; i < 20; ++i) {
      const double gap = 0.1 * std::pow(1.4, i);
      budget.push_back(LogMomentBudget(1 + gap, target.epsilon, target.delta));
      for (const Move& move : CoarseMoves()) {
        const double epsilon = kUnit * move.units;
        cost[epsilon].push_back(PureCurve(epsilon).LogMomentAt(1 + gap));
      }
    }
  }
  std::vector<double> budget;
  std::map<double, std::vector<double>> cost;
};

// Broken: continues while some order still proves the target; which order that
// is depends on the answers.
struct SomeOrderGate {
  const Orders* orders;
  std::vector<double> spent = std::vector<double>(orders->budget.size(), 0.0);

  bool Admits(const ApproximateDp& charge) {
    const std::vector<double>& cost = orders->cost.at(charge.epsilon);
    bool fits = false;
    for (std::size_t i = 0; i < spent.size(); ++i) {
      spent[i] += cost[i];
      fits = fits || spent[i] <= orders->budget[i];
    }
    return fits;
  }
};

TEST(RenyiFilterTest, TheGameRefutesAFilterThatNeedsOnlySomeOrder) {
  const ApproximateDp target{5, 0.01};
  const Orders orders(target);
  AdaptiveGame<SomeOrderGate> game(CoarseMoves(), target.epsilon);
  EXPECT_NEAR(game.Delta({&orders}), 0.01311, 1e-5);  // above 0.01
  const auto filter =
      RenyiFilter::ForTarget(target, GameOrders(), PureCurve(1));
  AdaptiveGame<RenyiGate> sound(CoarseMoves(), target.epsilon);
  EXPECT_LE(sound.Delta({*filter}), target.delta);
}

TEST(RenyiFilterTest, HoldsATargetAtItsBestOrder) {
  const ApproximateDp target{2, 0.05};
  const auto filter =
      RenyiFilter::ForTarget(target, GameOrders(), PureCurve(0.2));
  ASSERT_TRUE(filter);
  EXPECT_EQ(filter->state().orders.size(), 1U);
  EXPECT_LE(filter->BudgetDelta(2), 0.05 * (1 + 1e-12));
  EXPECT_NEAR(*filter->BudgetEpsilon(0.05), 2, 1e-12);
  AdaptiveGame<RenyiGate> game(PureMoves(), target.epsilon);
  const double exact = game.Delta({*filter});
  EXPECT_LE(exact, target.delta);
  EXPECT_GE(exact, target.delta / 40);
}

TEST(RenyiFilterTest, ReachesABudgetMadeOfThePlannedChargesAndNoMore) {
  const std::vector<RenyiCurve> planned(10, GaussianCurve(7));
  auto filter = RenyiFilter::Create(GameOrders(), Compose(planned));
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(filter->Charge(planned[0])) << i;
  const RenyiFilter::State full = filter->state();
  const Status refused = filter->Charge(GaussianCurve(1e9));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kBudgetExhausted);
  EXPECT_EQ(filter->state(), full);
}

TEST(RenyiFilterTest, ChargesAllOrdersOrNone) {
  auto filter = GameFilter(GameOrders());
  const RenyiFilter::State before = filter.state();
  // Fits at every order but the last.
  const RenyiCurve spike([](double order) { return order < 30 ? 1e-3 : kInf; });
  EXPECT_FALSE(filter.Charge(spike));
  EXPECT_EQ(filter.state(), before);
}

TEST(RenyiFilterTest, IsRestoredFromItsNumbersAndRefusesImpossibleOnes) {
  auto filter = GameFilter(GameOrders());
  ASSERT_TRUE(filter.Charge(PureCurve(0.3)));
  auto copy = RenyiFilter::Restore(filter.state());
  ASSERT_TRUE(copy);
  EXPECT_EQ(copy->state(), filter.state());
  const auto refused = [&](auto change) {
    RenyiFilter::State state = filter.state();
    change(state);
    return RenyiFilter::Restore(state).error().code == ErrorCode::kCorruption;
  };
  EXPECT_TRUE(refused([](auto& s) { s.orders.pop_back(); }));
  EXPECT_TRUE(refused([](auto& s) { s.orders[0] = 1; }));
  EXPECT_TRUE(refused([](auto& s) { s.spent[1] = -1; }));
  EXPECT_TRUE(refused([](auto& s) { s.spent[1] = kNan; }));
  EXPECT_TRUE(refused([](auto& s) { s.spent[2] = s.budget[2] * 2; }));
  EXPECT_TRUE(refused([](auto& s) { s.budget[0] = kInf; }));
}

TEST(RenyiFilterTest, RejectsParametersOutsideTheContract) {
  const RenyiCurve budget = PureCurve(1);
  EXPECT_FALSE(RenyiFilter::Create({}, budget));
  EXPECT_FALSE(RenyiFilter::Create({1}, budget));
  EXPECT_FALSE(RenyiFilter::Create({2, 2}, budget));
  EXPECT_FALSE(RenyiFilter::Create({kInf}, budget));
  EXPECT_FALSE(RenyiFilter::Create({2}, PureCurve(kInf)));
  EXPECT_FALSE(RenyiFilter::ForTarget({1, 0}, {2}, budget));
  EXPECT_FALSE(RenyiFilter::ForTarget({kNan, 1e-6}, {2}, budget));
  EXPECT_EQ(RenyiFilter::ForTarget({0.1, 1e-9}, {2}, budget).error().code,
            ErrorCode::kBudgetExhausted);
}

struct ApproximateGate {
  ApproximateFilter filter;
  bool Admits(const ApproximateDp& cost) {
    return filter.Charge(cost).has_value();
  }
};

// Broken: one charge too many.
struct LateApproximateGate {
  ApproximateFilter filter;
  bool spent = false;
  bool Admits(const ApproximateDp& cost) {
    if (spent) return false;
    spent = !filter.Charge(cost).has_value();
    return true;
  }
};

std::vector<Move> ApproximateMoves() {
  return {{5, 0.0078125}, {10, 0.015625}, {5, 0}};
}

TEST(ApproximateFilterTest, HoldsItsBudgetAgainstEveryAdaptiveAdversary) {
  const ApproximateDp budget{1, 0.03125};
  const auto filter = ApproximateFilter::Create(budget);
  AdaptiveGame<ApproximateGate> game(ApproximateMoves(), budget.epsilon);
  const double exact = game.Delta({*filter});
  EXPECT_LE(exact, budget.delta);
  EXPECT_GE(exact, budget.delta * 0.9);
  AdaptiveGame<LateApproximateGate> broken(ApproximateMoves(), budget.epsilon);
  EXPECT_GT(broken.Delta({*filter}), budget.delta * 1.2);
}

TEST(ApproximateFilterTest, RefusesBeforeTheChargeAndNeverHalfCharges) {
  auto filter = ApproximateFilter::Create({1, 0.5});
  ASSERT_TRUE(filter->Charge({0.5, 0.25}));
  const ApproximateFilter::State before = filter->state();
  EXPECT_EQ(filter->Charge({0.25, 0.5}).error().code,
            ErrorCode::kBudgetExhausted);  // epsilon fits, delta does not
  EXPECT_EQ(filter->Charge({0.75, 0.125}).error().code,
            ErrorCode::kBudgetExhausted);
  EXPECT_EQ(filter->Charge({-0.5, 0}).error().code,
            ErrorCode::kInvalidArgument);
  EXPECT_EQ(filter->Charge({0, kNan}).error().code,
            ErrorCode::kInvalidArgument);
  EXPECT_EQ(filter->Charge({kInf, 0}).error().code,
            ErrorCode::kBudgetExhausted);
  EXPECT_EQ(filter->state(), before);
  EXPECT_TRUE(filter->Charge({0.5, 0.25}));
}

TEST(ApproximateFilterTest, RejectsBudgetsAndStatesOutsideTheContract) {
  EXPECT_FALSE(ApproximateFilter::Create({-1, 0}));
  EXPECT_FALSE(ApproximateFilter::Create({kInf, 0}));
  EXPECT_FALSE(ApproximateFilter::Create({1, 1}));
  EXPECT_FALSE(ApproximateFilter::Restore({{1, 0}, {2, 0}}));
  EXPECT_FALSE(ApproximateFilter::Restore({{1, 0}, {kNan, 0}}));
  EXPECT_TRUE(ApproximateFilter::Restore({{1, 0.1}, {1, 0}}));
}

struct ZcdpGate {
  ZcdpFilter filter;
  bool Admits(const ApproximateDp& cost) {
    return filter.Charge(ToZcdp(PureDp{cost.epsilon})).has_value();
  }
};

TEST(ZcdpFilterTest, HoldsItsBudgetAgainstEveryAdaptiveAdversary) {
  const Zcdp budget{0.55};
  const auto filter = ZcdpFilter::Create(budget);
  for (const double epsilon : {0.5, 1.0, 2.0}) {
    AdaptiveGame<ZcdpGate> game(PureMoves(), epsilon);
    const double exact = game.Delta({*filter});
    EXPECT_LE(exact, DeltaFromRenyi(ToRenyi(budget), epsilon)) << epsilon;
    EXPECT_GT(exact, 0) << epsilon;
  }
}

TEST(ZcdpFilterTest, RefusesBeforeTheChargeAndRestores) {
  auto filter = ZcdpFilter::Create({0.5});
  ASSERT_TRUE(filter->Charge({0.375}));
  EXPECT_EQ(filter->Charge({0.25}).error().code, ErrorCode::kBudgetExhausted);
  EXPECT_EQ(filter->Charge({kNan}).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(filter->state().spent.rho, 0.375);
  auto restored = ZcdpFilter::Restore(filter->state());
  ASSERT_TRUE(restored);
  EXPECT_TRUE(restored->Charge({0.125}));
  EXPECT_FALSE(restored->Charge({1e-300}));
  EXPECT_FALSE(ZcdpFilter::Create({kNan}));
  EXPECT_FALSE(ZcdpFilter::Restore({{0.5}, {0.6}}));
}

}  // namespace
}  // namespace sotto
