#include "sotto/mechanisms/ranges/running_total.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "sotto/mechanisms/ranges/range_test_tools.h"
#include "sotto/testing/seeded_rng.h"

namespace sotto {
namespace {

RunningTotal Make(double epsilon, std::uint64_t horizon, double low = 0,
                  double high = 100) {
  return *RunningTotal::Create(
      {.epsilon = epsilon, .horizon = horizon, .low = low, .high = high});
}

NoisyNumbers OneStep(const RunningTotal& empty, double x) {
  return Watch([&](Rng& rng) {
    RunningTotal total = empty;
    ASSERT_TRUE(total.Add(x, rng));
  });
}

// With horizon 1 each counter has one noisy number.
double WorstNats(const RunningTotal& empty, double empty_adds,
                 double count_weight) {
  double worst = 0;
  ForEachNeighbours(
      1, 1, {kEmptyRow, -5, 0, 30, 50, 100, 200},
      [&](const auto& a, const auto& b) {
        const auto numbers = [&](double x) {
          NoisyNumbers seen = OneStep(empty, x);
          if (std::isnan(x)) {
            seen.values[0] +=
                static_cast<std::int64_t>(empty_adds * RunningTotal::kSteps);
          }
          seen.rates[1] *= count_weight;
          return seen;
        };
        worst = std::max(worst, MovedNats(numbers(a[0]), numbers(b[0])));
      });
  return worst;
}

TEST(RunningTotalTest, NeighboursCostEpsilonAndNoMore) {
  const RunningTotal empty = Make(1, 1);
  EXPECT_LE(WorstNats(empty, 0, 1), 1 + 1e-9);
  EXPECT_GT(WorstNats(empty, 0, 1), 0.99);
  EXPECT_GT(WorstNats(empty, -0.5, 1), 1.4);  // an empty step that adds nothing
  EXPECT_GT(WorstNats(empty, 0, 2), 1.4);     // a count with all of epsilon
}

TEST(RunningTotalTest, StatesItsGuarantee) {
  const RunningTotal total = Make(1, 1000);
  EXPECT_EQ(total.guarantee().epsilon(), 1);
  EXPECT_GT(total.guarantee().delta(), 0);
  EXPECT_LT(total.guarantee().delta(), 1e-12);
  EXPECT_LE(Total(total.guarantee().spend()).epsilon, 1);
  EXPECT_GT(Total(total.guarantee().spend()).epsilon, 0.999);
}

TEST(RunningTotalTest, SumAndMeanFollowTheStream) {
  RunningTotal total = Make(4, 3000, -20, 100);
  testing::SeededRng rng(3);
  double sum = 0;
  int numbers = 0;
  RunningTotal::Answer answer;
  for (int i = 0; i < 3000; ++i) {
    const double x = i % 5 == 0 ? kEmptyRow : i % 70;
    if (!std::isnan(x)) {
      sum += x;
      ++numbers;
    }
    const auto made = total.Add(x, rng);
    ASSERT_TRUE(made);
    answer = *made;
  }
  EXPECT_NEAR(answer.mean, sum / numbers, 2);
  EXPECT_NEAR(answer.sum, sum, 6000);
  EXPECT_EQ(total.Add(1, rng).error().code, ErrorCode::kFailedPrecondition);
}

TEST(RunningTotalTest, ASavedStateContinues) {
  const RunningTotal::Params params{
      .epsilon = 1, .horizon = 50, .low = 0, .high = 1};
  auto one = *RunningTotal::Create(params);
  testing::SeededRng rng(1);
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(one.Add(0.25, rng));
  ByteWriter writer;
  one.Save(writer);
  ByteReader reader(writer.bytes());
  auto two = RunningTotal::Load(params, reader);
  ASSERT_TRUE(two) << two.error().message;
  testing::SeededRng here(2);
  testing::SeededRng there(2);
  EXPECT_EQ(one.Add(0.5, here)->sum, two->Add(0.5, there)->sum);
}

TEST(RunningTotalTest, RejectsWhatTheContractForbids) {
  EXPECT_FALSE(
      RunningTotal::Create({.epsilon = 1e-3, .horizon = 5, .high = 1}));
  EXPECT_FALSE(RunningTotal::Create({.epsilon = 1, .horizon = 0, .high = 1}));
  EXPECT_FALSE(RunningTotal::Create({.epsilon = 1, .horizon = 5}));
}

}  // namespace
}  // namespace sotto
