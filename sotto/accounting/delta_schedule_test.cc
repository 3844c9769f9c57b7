#include "sotto/accounting/delta_schedule.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

namespace sotto {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// Sums of the doubles themselves, in extended precision, smallest first.
long double PartialSum(const DeltaSchedule& schedule, std::uint64_t rounds) {
  long double sum = 0;
  for (std::uint64_t i = rounds + 1; i-- > 0;) {
    sum += static_cast<long double>(schedule.At(i));
  }
  return sum;
}

TEST(DeltaScheduleTest, ConstantCountsTheTrainingSet) {
  const auto schedule = DeltaSchedule::Constant(1e-3, 9);
  ASSERT_TRUE(schedule);
  EXPECT_EQ(schedule->At(0), 1e-3);
  EXPECT_EQ(schedule->At(9), 1e-3);
  EXPECT_EQ(schedule->At(10), 0);
  EXPECT_GE(static_cast<long double>(schedule->Sum()),
            PartialSum(*schedule, 20));
  EXPECT_NEAR(schedule->Sum(), 1e-2, 1e-16);
}

TEST(DeltaScheduleTest, PhasesHalveTheirShareAndStayBelowTheSum) {
  const auto schedule = DeltaSchedule::Phases(1e-6, {10, 20, 25});
  ASSERT_TRUE(schedule);
  EXPECT_NEAR(schedule->At(0), 1e-6 / 4 / 10, 1e-20);
  EXPECT_EQ(schedule->At(1), schedule->At(0));
  EXPECT_EQ(schedule->At(10), schedule->At(0));
  EXPECT_NEAR(schedule->At(11), 1e-6 / 8 / 20, 1e-20);
  EXPECT_NEAR(schedule->At(30), 1e-6 / 8 / 20, 1e-20);
  EXPECT_NEAR(schedule->At(31), 1e-6 / 16 / 25, 1e-20);
  EXPECT_NEAR(schedule->At(55), 1e-6 / 16 / 25, 1e-20);
  // Phases that are not listed double in length.
  EXPECT_NEAR(schedule->At(56), 1e-6 / 32 / 50, 1e-20);
  EXPECT_NEAR(schedule->At(105), 1e-6 / 32 / 50, 1e-20);
  EXPECT_NEAR(schedule->At(106), 1e-6 / 64 / 100, 1e-20);
  EXPECT_GT(schedule->At(std::uint64_t{1} << 60), 0);
  EXPECT_GE(static_cast<long double>(schedule->Sum()),
            PartialSum(*schedule, 100'000));
  EXPECT_NEAR(schedule->Sum(), 0.525e-6, 1e-15);
  EXPECT_LE(DeltaSchedule::Phases(1e-6, {1})->Sum(), 0.75e-6 * (1 + 1e-15));
}

TEST(DeltaScheduleTest, InverseSquareSumsToItsTotal) {
  const auto schedule = DeltaSchedule::InverseSquare(1e-6);
  ASSERT_TRUE(schedule);
  EXPECT_EQ(schedule->Sum(), 1e-6);
  EXPECT_NEAR(schedule->At(0), 6e-6 / (std::numbers::pi * std::numbers::pi),
              1e-20);
  const long double sum = PartialSum(*schedule, 200'000);
  EXPECT_LE(sum, 1e-6L);
  EXPECT_GE(sum, 1e-6L * (1 - 1e-5L));
}

// As printed: [PERP] Def. 3.6: a delta for each round, and the sum.
TEST(DeltaScheduleTest, TableSumsUpwards) {
  const auto schedule = DeltaSchedule::Table({0.1, 0.2, 1e-20});
  ASSERT_TRUE(schedule);
  EXPECT_EQ(schedule->At(1), 0.2);
  EXPECT_EQ(schedule->At(3), 0);
  EXPECT_GE(static_cast<long double>(schedule->Sum()),
            PartialSum(*schedule, 5));
  EXPECT_NEAR(schedule->Sum(), 0.3, 1e-15);
}

TEST(DeltaScheduleTest, ScalingCoversEveryRoundAndTheSum) {
  const auto schedule = DeltaSchedule::Phases(1e-6, {3, 7});
  const auto scaled = schedule->ScaledBy(std::exp(1.0));
  ASSERT_TRUE(scaled);
  for (const std::uint64_t round : {0U, 1U, 4U, 10U, 100U}) {
    EXPECT_GE(scaled->At(round), schedule->At(round) * std::exp(1.0));
  }
  EXPECT_GE(static_cast<long double>(scaled->Sum()), PartialSum(*scaled, 5000));
  EXPECT_NE(*scaled, *schedule);
  EXPECT_EQ(*schedule->ScaledBy(1), *schedule);
  for (const double bad :
       {0.5, kNan, std::numeric_limits<double>::infinity()}) {
    EXPECT_FALSE(schedule->ScaledBy(bad));
  }
}

TEST(DeltaScheduleTest, RejectsParametersOutsideTheContract) {
  EXPECT_FALSE(DeltaSchedule::Constant(-1e-9, 5));
  EXPECT_FALSE(DeltaSchedule::Constant(1, 5));
  EXPECT_FALSE(DeltaSchedule::Constant(kNan, 5));
  EXPECT_FALSE(DeltaSchedule::Phases(1e-6, {}));
  EXPECT_FALSE(DeltaSchedule::Phases(1e-6, {5, 0}));
  EXPECT_FALSE(DeltaSchedule::Phases(0, {5}));
  EXPECT_FALSE(DeltaSchedule::Phases(1e-6, std::vector<std::uint64_t>(901, 1)));
  EXPECT_FALSE(DeltaSchedule::InverseSquare(1));
  EXPECT_FALSE(DeltaSchedule::InverseSquare(kNan));
  EXPECT_FALSE(DeltaSchedule::Table({}));
  EXPECT_FALSE(DeltaSchedule::Table({0.1, -0.1}));
}

TEST(DeltaScheduleTest, DescribesItselfWithItsSum) {
  EXPECT_EQ(DeltaSchedule::InverseSquare(1e-6)->Describe(),
            "delta(i) = 1e-6 * 6 / (pi (i+1))^2; all rounds and the training "
            "set together at most 1e-6");
  // The blocks of rectangles: the first has one round, as the training set.
  EXPECT_EQ(DeltaSchedule::Phases(1e-6, {1, 20, 30, 40, 50})->Describe(),
            "delta(i) = 1e-6 / (2^(p+1) t_p) in block p of t_p rounds, the "
            "training set as in block 1; lengths of blocks: 1, 20, 30 and 2 "
            "more, then each twice as long as the one before; all rounds and "
            "the training set together at most 7.5e-7");
}

}  // namespace
}  // namespace sotto
