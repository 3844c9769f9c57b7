#include "sotto/mechanisms/ranges/running_histogram.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "sotto/mechanisms/ranges/range_test_tools.h"
#include "sotto/testing/seeded_rng.h"

namespace sotto {
namespace {

RunningHistogram Make(double epsilon, double delta, std::uint64_t horizon,
                      std::uint64_t cells) {
  return *RunningHistogram::Create(
      {.epsilon = epsilon,
       .delta = delta,
       .horizon = horizon,
       .grid = *RangeGrid::Create(0, static_cast<double>(cells), cells)});
}

// One leaf of a counter's tree: horizon 1, so that every cell has one number
// with noise of rate epsilon / 2.
TEST(RunningHistogramTest, NeighboursCostEpsilonAndNoMore) {
  const RunningHistogram empty = Make(1, 0, 1, 3);
  const auto numbers = [&](double x) {
    return Watch([&](Rng& rng) {
      RunningHistogram histogram = empty;
      ASSERT_TRUE(histogram.Add(x, rng));
    });
  };
  double worst = 0;
  ForEachNeighbours(
      1, 1, {kEmptyRow, 0.5, 1.5, 2.5}, [&](const auto& a, const auto& b) {
        worst = std::max(worst, MovedNats(numbers(a[0]), numbers(b[0])));
      });
  EXPECT_LE(worst, 1 + 1e-9);
  EXPECT_GT(worst, 0.99);  // counters with all of epsilon would cost 2
}

TEST(RunningHistogramTest, StatesTwiceTheCostOfACell) {
  const RunningHistogram pure = Make(1, 0, 100, 5);
  EXPECT_EQ(pure.guarantee().epsilon(), 1);
  EXPECT_LT(pure.guarantee().delta(), 1e-14);
  const RunningHistogram smooth = Make(1, 1e-6, 100, 5);
  EXPECT_EQ(smooth.guarantee().epsilon(), 1);
  EXPECT_LE(smooth.guarantee().delta(), 1e-6);
  EXPECT_GT(smooth.guarantee().delta(), 1e-7);
}

TEST(RunningHistogramTest, CountsAndQuantilesFollowTheStream) {
  RunningHistogram histogram = Make(4, 1e-6, 4000, 20);
  testing::SeededRng rng(1);
  std::vector<std::int64_t> last;
  for (int i = 0; i < 4000; ++i) {
    const double x = i % 4 == 3 ? kEmptyRow : i % 20;
    const auto counts = histogram.Add(x, rng);
    ASSERT_TRUE(counts);
    last.assign(counts->begin(), counts->end());
  }
  std::vector<std::int64_t> truth(20);
  for (int i = 0; i < 4000; ++i) {
    if (i % 4 != 3) ++truth[static_cast<std::size_t>(i % 20)];
  }
  for (std::size_t i = 0; i < 20; ++i) {
    EXPECT_NEAR(static_cast<double>(last[i]), static_cast<double>(truth[i]),
                80);
  }
  EXPECT_NEAR(ReadQuantile(last, histogram.grid(), 0.5), 10, 2);
  EXPECT_EQ(histogram.steps(), 4000U);
  EXPECT_EQ(histogram.Add(1, rng).error().code, ErrorCode::kFailedPrecondition);
}

TEST(RunningHistogramTest, ASavedStateContinues) {
  const RunningHistogram::Params params{
      .epsilon = 1, .horizon = 50, .grid = *RangeGrid::Create(0, 3, 3)};
  auto one = *RunningHistogram::Create(params);
  testing::SeededRng rng(1);
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(one.Add(i % 3, rng));
  ByteWriter writer;
  one.Save(writer);
  ByteReader reader(writer.bytes());
  auto two = RunningHistogram::Load(params, reader);
  ASSERT_TRUE(two) << two.error().message;
  EXPECT_EQ(two->steps(), 20U);
  testing::SeededRng here(2);
  testing::SeededRng there(2);
  const auto a = one.Add(1.5, here);
  const auto b = two->Add(1.5, there);
  EXPECT_TRUE(std::ranges::equal(*a, *b));
}

TEST(ReadQuantileTest, InterpolatesWithinACell) {
  const auto grid = *RangeGrid::Create(0, 40, 4);
  const std::vector<std::int64_t> counts = {10, 0, 20, 10};
  EXPECT_EQ(ReadQuantile(counts, grid, 0.5), 25);
  EXPECT_EQ(ReadQuantile(counts, grid, 0.125), 5);
  const std::vector<std::int64_t> none = {0, 0, -3, 0};
  EXPECT_GE(ReadQuantile(none, grid, 0.5), 0);
  EXPECT_LE(ReadQuantile(none, grid, 0.5), 40);
}

TEST(RunningHistogramTest, RejectsWhatTheContractForbids) {
  const auto grid = *RangeGrid::Create(0, 1, 3);
  EXPECT_FALSE(RunningHistogram::Create({.epsilon = 1, .grid = grid}));
  EXPECT_FALSE(RunningHistogram::Create(
      {.epsilon = 1, .horizon = 5, .grid = *RangeGrid::Create(0, 1, 5000)}));
}

}  // namespace
}  // namespace sotto
