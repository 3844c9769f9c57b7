#include "sotto/accounting/spend.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>

#include "sotto/accounting/group_privacy.h"
#include "sotto/accounting/guarantee.h"

namespace sotto {
namespace {

Spend Example() {
  return AddParts(
      "list", {MakePart("rules", {0.5, 1e-7}), MakePart("counts", {0.25, 0})});
}

TEST(SpendTest, PartsOfASumAddUp) {
  EXPECT_EQ(Total(Example()), (ApproximateDp{0.75, 1e-7}));
}

TEST(SpendTest, OfPartsOnDifferentRowsTheLargestCounts) {
  const Spend spend = TakeLargest(
      "either", {MakePart("a", {0.5, 1e-7}), MakePart("b", {0.25, 1e-6})});
  EXPECT_EQ(Total(spend), (ApproximateDp{0.5, 1e-6}));
}

TEST(SpendTest, AJointCostIsTheAccountantsAndNotTheSum) {
  const Spend spend =
      ComposeParts("votes and stopper", {0.7, 1e-6},
                   {MakePart("votes", {0.5, 0}), MakePart("s", {0.5, 0})});
  EXPECT_EQ(Total(spend), (ApproximateDp{0.7, 1e-6}));
}

TEST(SpendTest, AGroupPaysForEachOfItsSteps) {
  const ApproximateDp three = Total(ForSteps(Example(), 3));
  EXPECT_EQ(three, ForGroup(ApproximateDp{0.75, 1e-7}, 3));
  EXPECT_DOUBLE_EQ(three.epsilon, 2.25);
  EXPECT_GT(three.delta, 1e-7 * (1 + std::exp(0.75) + std::exp(1.5)) * 0.999);
}

TEST(SpendTest, AGroupOfGroupsPaysForAll) {
  EXPECT_DOUBLE_EQ(
      Total(ForSteps(ForSteps(MakePart("a", {0.5, 0}), 3), 2)).epsilon, 3);
}

TEST(SpendTest, PureNoiseCostsItsSensitivityOverItsScale) {
  const Spend exact = PurePart("a", SamplerKind::kLaplace, 0.25, 2);
  EXPECT_EQ(exact.cost.epsilon, 0.5);
  EXPECT_EQ(exact.noise->scale, 4);
  EXPECT_EQ(exact.noise->sensitivity, 2);
  const Spend rounded = PurePart("a", SamplerKind::kLaplace, 0.1, 3, 1e-9);
  EXPECT_GE(rounded.cost.epsilon, 0.1 * 3);
  EXPECT_LE(rounded.cost.epsilon, std::nextafter(0.1 * 3, 1));
  EXPECT_GE(std::fma(0.1, 3, -rounded.cost.epsilon), -1e-16);
  EXPECT_LE(std::fma(0.1, 3, -rounded.cost.epsilon), 0);
  EXPECT_EQ(rounded.cost.delta, 1e-9);
  // To nearest, about half of the products would be too small.
  int nearest_too_small = 0;
  for (int i = 1; i <= 100; ++i) {
    const double rate = 0.013 * i;
    const Spend part = PurePart("a", SamplerKind::kLaplace, rate, 7);
    EXPECT_LE(std::fma(rate, 7, -part.cost.epsilon), 0) << rate;
    nearest_too_small += std::fma(rate, 7, -(rate * 7)) > 0 ? 1 : 0;
  }
  EXPECT_GT(nearest_too_small, 20);
}

TEST(SpendTest, ARequestIsStatedIfThePartsNearlyReachIt) {
  const auto near = StatedCost(MakePart("a", {0.999, 0.995e-6}), {1, 1e-6});
  ASSERT_TRUE(near);
  EXPECT_EQ(*near, (ApproximateDp{1, 1e-6}));
}

TEST(SpendTest, PartsThatCostLessAreStatedThemselves) {
  const auto far = StatedCost(MakePart("a", {0.5, 1e-9}), {1, 1e-6});
  ASSERT_TRUE(far);
  EXPECT_EQ(*far, (ApproximateDp{0.5, 1e-9}));
}

TEST(SpendTest, PartsThatCostMoreThanWasAskedAreRefused) {
  const auto more = StatedCost(MakePart("all of it", {3, 1e-9}), {1, 1e-6});
  ASSERT_FALSE(more);
  EXPECT_EQ(more.error().code, ErrorCode::kBudgetExhausted);
  EXPECT_NE(more.error().message.find("all of it"), std::string::npos);
  EXPECT_FALSE(StatedCost(MakePart("a", {1, 1e-5}), {1, 1e-6}));
  EXPECT_FALSE(StatedCost(MakePart("a", {std::nan(""), 0}), {1, 1e-6}));
}

TEST(SpendTest, WithoutADeltaTheSamplersAreStated) {
  const auto pure = StatedCost(MakePart("a", {1, 1e-28}), {1, 0});
  ASSERT_TRUE(pure);
  EXPECT_EQ(pure->delta, 1e-28);
}

TEST(SpendTest, AGuaranteeStatesItsPartsAndNotTheRequest) {
  Guarantee::Params params{.epsilon = 17,
                           .delta = 0.5,
                           .protects = "rows",
                           .spend = MakePart("a", {0.5, 1e-9})};
  const auto made = MakeGuarantee(params, {1, 1e-6});
  ASSERT_TRUE(made);
  EXPECT_EQ(made->epsilon(), 0.5);
  EXPECT_EQ(made->delta(), 1e-9);
  EXPECT_EQ(made->spend().name, "a");
  EXPECT_FALSE(MakeGuarantee(params, {0.25, 1e-6}));
}

TEST(SpendTest, AScheduleCoversTheDeltaOfTheParts) {
  const auto schedule = DeltaSchedule::Constant(1e-6, 10);
  ASSERT_TRUE(schedule);
  Guarantee::Params params{.notion = Notion::kEverlasting,
                           .schedule = *schedule,
                           .protects = "rows",
                           .spend = MakePart("a", {0.5, 1e-6})};
  EXPECT_TRUE(MakeGuarantee(params, {1, 1}));
  params.spend.cost.delta = 0.5;
  EXPECT_FALSE(MakeGuarantee(params, {1, 1}));
}

TEST(SpendTest, AGuaranteeForAUserHasPartsForAUser) {
  const auto one =
      MakeGuarantee({.protects = "rows", .spend = Example()}, {0.75, 1e-7});
  ASSERT_TRUE(one);
  const auto user = UserLevel(*one, 3);
  ASSERT_TRUE(user);
  EXPECT_EQ(Total(user->spend()).epsilon, user->epsilon());
  EXPECT_EQ(Total(user->spend()).delta, user->delta());
}

}  // namespace
}  // namespace sotto
