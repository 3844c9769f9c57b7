#include "sotto/mechanisms/ranges/range_total.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "sotto/mechanisms/ranges/range_test_tools.h"
#include "sotto/testing/seeded_rng.h"

namespace sotto {
namespace {

using Kind = RangeTotal::Kind;

RangeTotal Make(Kind kind, double low, double high,
                std::uint64_t rows_per_user = 1, double epsilon = 1) {
  return *RangeTotal::Create({.epsilon = epsilon,
                              .low = low,
                              .high = high,
                              .rows_per_user = rows_per_user,
                              .kind = kind});
}

NoisyNumbers Numbers(const RangeTotal& empty, const std::vector<double>& rows) {
  RangeTotal total = empty;
  for (const double x : rows) total.Add(x);
  return Watch([&](Rng& rng) { total.Release(rng); });
}

// Over all neighbours; `weights` multiplies the cost of each number.
double WorstNats(const RangeTotal& empty, double low, double high,
                 std::size_t changed, std::vector<double> weights = {1, 1}) {
  double worst = 0;
  const double middle = (low + high) / 2;
  ForEachNeighbours(changed, changed,
                    {kEmptyRow, low - 1, low, middle, high, high + 1},
                    [&](const auto& a, const auto& b) {
                      NoisyNumbers one = Numbers(empty, a);
                      const NoisyNumbers other = Numbers(empty, b);
                      for (std::size_t i = 0; i < one.rates.size(); ++i) {
                        one.rates[i] *= weights[i];
                      }
                      worst = std::max(worst, MovedNats(one, other));
                    });
  return worst;
}

TEST(RangeTotalTest, NeighboursCostEpsilonAndNoMore) {
  for (const Kind kind : {Kind::kSum, Kind::kMean}) {
    for (const auto& [low, high] : std::vector<std::pair<double, double>>{
             {0, 100}, {-3, 5}, {90, 100}, {-7.3, -2.1}}) {
      const double one = WorstNats(Make(kind, low, high), low, high, 1);
      EXPECT_LE(one, 1 + 1e-9) << low;
      EXPECT_GT(one, 0.99) << low;
      const double two = WorstNats(Make(kind, low, high, 2), low, high, 2);
      EXPECT_LE(two, 1 + 1e-9) << low;
      EXPECT_GT(two, 0.99) << low;
      EXPECT_GT(WorstNats(Make(kind, low, high), low, high, 2), 1.9) << low;
    }
  }
}

TEST(RangeTotalTest, LargerRatesOfTheMeanAreRefuted) {
  const RangeTotal mean = Make(Kind::kMean, 0, 100);
  EXPECT_GT(WorstNats(mean, 0, 100, 1, {2, 1}), 1.4);
  EXPECT_GT(WorstNats(mean, 0, 100, 1, {1, 2}), 1.4);
}

TEST(RangeTotalTest, StatesItsGuarantee) {
  for (const Kind kind : {Kind::kSum, Kind::kMean}) {
    for (const double epsilon : {0.1, 0.3, 1.0, 7.7}) {
      const RangeTotal total = Make(kind, 0, 100, 3, epsilon);
      EXPECT_EQ(total.guarantee().epsilon(), epsilon);
      EXPECT_GT(total.guarantee().delta(), 0);
      EXPECT_LT(total.guarantee().delta(), 1e-12);
      EXPECT_EQ(total.guarantee().rounds_per_user(), 3U);
    }
  }
}

TEST(RangeTotalTest, AnswersAreNearTheTruth) {
  testing::SeededRng rng(5);
  RangeTotal sum = Make(Kind::kSum, -10, 100);
  RangeTotal mean = Make(Kind::kMean, -10, 100);
  double truth = 0;
  for (int i = 0; i < 2000; ++i) {
    const double x = i % 60;
    truth += x;
    sum.Add(x);
    mean.Add(x);
    mean.Add(kEmptyRow);
    sum.Add(kEmptyRow);
  }
  EXPECT_NEAR(sum.Release(rng), truth, sum.ErrorBound(1e-6, 2000));
  EXPECT_LT(sum.ErrorBound(0.05, 2000), 500);
  EXPECT_NEAR(mean.Release(rng), truth / 2000, mean.ErrorBound(1e-6, 2000));
  EXPECT_LT(mean.ErrorBound(0.05, 2000), 1);
}

TEST(RangeTotalTest, AMeanOfNothingIsTheMiddle) {
  testing::SeededRng rng(5);
  const RangeTotal mean = Make(Kind::kMean, 0, 100, 1, 16);
  for (int i = 0; i < 10; ++i) {
    EXPECT_GE(mean.Release(rng), 0);
    EXPECT_LE(mean.Release(rng), 100);
  }
}

TEST(RangeTotalTest, RejectsWhatTheContractForbids) {
  EXPECT_FALSE(RangeTotal::Create({.epsilon = 0, .low = 0, .high = 1}));
  EXPECT_FALSE(RangeTotal::Create({.epsilon = 1, .low = 1, .high = 1}));
  EXPECT_FALSE(RangeTotal::Create({.epsilon = 1, .low = 0, .high = HUGE_VAL}));
  EXPECT_FALSE(RangeTotal::Create(
      {.epsilon = 1, .low = 0, .high = 1, .rows_per_user = 0}));
}

}  // namespace
}  // namespace sotto
