#include "sotto/mechanisms/ranges/range_histogram.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "sotto/mechanisms/ranges/range_test_tools.h"
#include "sotto/testing/seeded_rng.h"
#include "sotto/testing/statistics.h"

namespace sotto {
namespace {

RangeHistogram Make(double epsilon, std::uint64_t cells,
                    std::uint64_t rows_per_user = 1) {
  return *RangeHistogram::Create(
      {.epsilon = epsilon,
       .grid = *RangeGrid::Create(0, static_cast<double>(cells), cells),
       .rows_per_user = rows_per_user});
}

double WorstNats(const RangeHistogram& empty, std::size_t changed) {
  const auto numbers = [&](const std::vector<double>& rows) {
    RangeHistogram histogram = empty;
    for (const double x : rows) histogram.Add(x);
    return Watch([&](Rng& rng) { histogram.Release(rng); });
  };
  double worst = 0;
  ForEachNeighbours(3, changed, {kEmptyRow, 0.5, 1.5, 2.5},
                    [&](const auto& a, const auto& b) {
                      worst =
                          std::max(worst, MovedNats(numbers(a), numbers(b)));
                    });
  return worst;
}

TEST(RangeHistogramTest, NeighboursCostEpsilonAndNoMore) {
  EXPECT_NEAR(WorstNats(Make(1, 3), 1), 1, 1e-9);
  EXPECT_NEAR(WorstNats(Make(1, 3, 2), 2), 1, 1e-9);
  // Two rows of a user at the price of one.
  EXPECT_GT(WorstNats(Make(1, 3), 2), 1.9);
}

TEST(RangeHistogramTest, StatesItsGuarantee) {
  const RangeHistogram histogram = Make(0.5, 10, 3);
  EXPECT_EQ(histogram.guarantee().epsilon(), 0.5);
  EXPECT_GT(histogram.guarantee().delta(), 0);
  EXPECT_LT(histogram.guarantee().delta(), 1e-15);
  EXPECT_EQ(histogram.guarantee().rounds_per_user(), 3U);
}

// alpha = 1e-6: count + discrete Laplace noise of rate epsilon / 2.
TEST(RangeHistogramStatisticalTest, CountsFollowTheDistribution) {
  RangeHistogram histogram = Make(2, 1);
  for (int i = 0; i < 7; ++i) histogram.Add(0.5);
  histogram.Add(kEmptyRow);
  const double t = std::exp(-1);
  std::vector<double> expected;
  for (int z = -4; z <= 4; ++z) {
    expected.push_back((1 - t) / (1 + t) * std::pow(t, std::abs(z)));
  }
  double inside = 0;
  for (const double p : expected) inside += p;
  expected.push_back(1 - inside);
  std::vector<std::uint64_t> counts(expected.size());
  testing::SeededRng rng(11);
  for (int i = 0; i < 100'000; ++i) {
    const std::int64_t z = histogram.Release(rng)[0] - 7;
    ++counts[std::abs(z) <= 4 ? static_cast<std::size_t>(z + 4) : 9];
  }
  EXPECT_GT(ChiSquaredPValue(counts, expected), 1e-6);
}

TEST(RangeHistogramTest, ErrorBoundHolds) {
  RangeHistogram histogram = Make(1, 50);
  for (int i = 0; i < 5000; ++i) histogram.Add(i % 50 + 0.5);
  testing::SeededRng rng(2);
  const double bound = histogram.ErrorBound(1e-6);
  for (const std::int64_t count : histogram.Release(rng)) {
    EXPECT_NEAR(static_cast<double>(count), 100, bound);
  }
}

TEST(RangeHistogramTest, RejectsWhatTheContractForbids) {
  const auto grid = *RangeGrid::Create(0, 1, 10);
  EXPECT_FALSE(RangeHistogram::Create({.epsilon = 0, .grid = grid}));
  EXPECT_FALSE(RangeHistogram::Create({.epsilon = NAN, .grid = grid}));
  EXPECT_FALSE(
      RangeHistogram::Create({.epsilon = 1, .grid = grid, .rows_per_user = 0}));
}

}  // namespace
}  // namespace sotto
