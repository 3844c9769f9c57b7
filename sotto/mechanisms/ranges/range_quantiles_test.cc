#include "sotto/mechanisms/ranges/range_quantiles.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "sotto/mechanisms/ranges/range_test_tools.h"
#include "sotto/mechanisms/selection/selection_test_distribution.h"
#include "sotto/testing/exact_number.h"
#include "sotto/testing/seeded_rng.h"

namespace sotto {
namespace {

using Exact = ExactNumber;

RangeQuantiles Make(double epsilon, const char* at, std::uint64_t cells,
                    std::uint64_t rows_per_user = 1) {
  return *RangeQuantiles::Create(
      {.epsilon = epsilon,
       .at = *ParseQuantiles(at),
       .grid = *RangeGrid::Create(0, static_cast<double>(cells), cells),
       .rows_per_user = rows_per_user});
}

// Scores of the real class.
Scores ReadScores(const RangeQuantiles& empty,
                  const std::vector<double>& rows) {
  RangeQuantiles quantiles = empty;
  for (const double x : rows) quantiles.Add(x);
  return Watch([&](Rng& rng) { quantiles.Release(rng); }).values;
}

// The largest likelihood ratio of an answer, with e^rate = 2: `changed` rows
// of one user are replaced or emptied, beside 0, 1 or 6 others in each cell.
Exact FindWorstRatio(const char* at, std::size_t changed) {
  const RangeQuantiles empty = Make(1, at, 3);
  Exact worst = 0;
  const auto compare = [&](const std::vector<double>& others) {
    const auto distribution = [&](std::vector<double> rows) {
      rows.insert(rows.end(), others.begin(), others.end());
      return PermuteAndFlipDistribution<Exact>(2, ReadScores(empty, rows));
    };
    ForEachNeighbours(changed, changed, {kEmptyRow, 0.5, 1.5, 2.5},
                      [&](const auto& a, const auto& b) {
                        const auto p = distribution(a);
                        const auto q = distribution(b);
                        for (std::size_t i = 0; i < p.size(); ++i) {
                          worst = std::max(worst, Exact(p[i] / q[i]));
                        }
                      });
  };
  ForEachVector(3, 0, 2, [&](const Scores& choice) {
    std::vector<double> others;
    for (std::size_t cell = 0; cell < 3; ++cell) {
      const std::int64_t count = choice[cell] == 2 ? 6 : choice[cell];
      others.insert(others.end(), static_cast<std::size_t>(count),
                    static_cast<double>(cell) + 0.5);
    }
    compare(others);
  });
  return worst;
}

Exact Power(int exponent) {
  Exact power = 1;
  for (int i = 0; i < exponent; ++i) power *= 2;
  return power;
}

// The rate is epsilon / (2 d): the ratio of a row is at most e^(2 d rate).
TEST(RangeQuantilesTest, OneRowMovesTheAnswerByTheRatioThatIsPaidFor) {
  EXPECT_LE(FindWorstRatio("1/2", 1), Power(4));
  EXPECT_LE(FindWorstRatio("3/4", 1), Power(8));
}

TEST(RangeQuantilesTest, SmallerSensitivitiesAreRefuted) {
  // d - p, as if a number could only disappear below the cell.
  EXPECT_GT(FindWorstRatio("3/4", 1), Power(2));
  // Two rows of a user at the price of one.
  EXPECT_GT(FindWorstRatio("1/2", 2), FindWorstRatio("1/2", 1));
  EXPECT_LE(FindWorstRatio("1/2", 2), Power(8));
}

TEST(RangeQuantilesTest, TheRateIsThatOfTheSensitivity) {
  const auto rate = [](const RangeQuantiles& quantiles) {
    return 1 / quantiles.guarantee().spend().parts.at(0).noise->scale;
  };
  EXPECT_NEAR(rate(Make(1, "1/2", 8)), 1.0 / 4, 1e-9);
  EXPECT_NEAR(rate(Make(1, "3/4", 8)), 1.0 / 8, 1e-9);
  EXPECT_NEAR(rate(Make(1, "1/2,3/4", 8)), 1.0 / 8, 1e-9);
  EXPECT_NEAR(rate(Make(1, "1/2", 8, 5)), 1.0 / 20, 1e-9);
}

TEST(RangeQuantilesTest, StatesAllOfItsParts) {
  const RangeQuantiles quantiles = Make(1, "0.5,0.95,0.99", 1000, 2);
  EXPECT_EQ(quantiles.guarantee().epsilon(), 1);
  EXPECT_LT(quantiles.guarantee().delta(), 1e-20);
  EXPECT_EQ(quantiles.guarantee().rounds_per_user(), 2U);
  EXPECT_EQ(quantiles.guarantee().spend().parts.size(), 3U);
  const RangeQuantiles many =
      Make(1, "0.01,0.02,0.03,0.04,0.05,0.06,0.07,0.08,0.09,0.1,0.2", 10);
  EXPECT_LE(Total(many.guarantee().spend()).epsilon, 1);
}

TEST(RangeQuantilesTest, AnswersAreNearTheQuantilesAndInOrder) {
  RangeQuantiles quantiles = Make(1, "0.99,0.5,0.95", 1000);
  for (int i = 0; i < 2000; ++i) quantiles.Add(i / 2.0 + 0.1);
  quantiles.Add(kEmptyRow);
  const double bound = quantiles.RankErrorBound(1e-6) / 2 + 1;
  EXPECT_LT(bound, 100);
  testing::SeededRng rng(3);
  for (int trial = 0; trial < 20; ++trial) {
    const auto answers = quantiles.Release(rng);
    EXPECT_NEAR(answers[1], 500, bound);
    EXPECT_NEAR(answers[2], 950, bound);
    EXPECT_NEAR(answers[0], 990, bound);
    EXPECT_LE(answers[1], answers[2]);
    EXPECT_LE(answers[2], answers[0]);
  }
}

TEST(RangeQuantilesTest, NumbersOutsideBelongToTheEnds) {
  RangeQuantiles quantiles = Make(16, "0.5", 10);
  for (int i = 0; i < 100; ++i) quantiles.Add(1e300);
  for (int i = 0; i < 300; ++i) quantiles.Add(-1e300);
  testing::SeededRng rng(1);
  EXPECT_LE(quantiles.Release(rng)[0], 1);
}

TEST(RangeQuantilesTest, RejectsWhatTheContractForbids) {
  for (const char* bad : {"", "1", "0", "1.5", "-0.5", "0.5,", "0.1234567"}) {
    EXPECT_FALSE(ParseQuantiles(bad)) << bad;
  }
  const auto grid = *RangeGrid::Create(0, 1, 10);
  const auto half = *ParseQuantiles("0.5");
  EXPECT_FALSE(RangeQuantiles::Create({.at = half, .grid = grid}));
  EXPECT_FALSE(RangeQuantiles::Create(
      {.epsilon = 1, .at = half, .grid = grid, .rows_per_user = 0}));
  EXPECT_FALSE(RangeQuantiles::Create({.epsilon = 1, .at = {}, .grid = grid}));
  EXPECT_FALSE(RangeGrid::Create(1, 1, 10));
  EXPECT_FALSE(RangeGrid::Create(0, HUGE_VAL, 10));
  EXPECT_FALSE(RangeGrid::Create(-1e308, 1e308, 10));
  EXPECT_FALSE(RangeGrid::Create(0, 1, 0));
}

}  // namespace
}  // namespace sotto
