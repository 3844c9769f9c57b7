#include "sotto/mechanisms/ranks/online_thresholds_line.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>

#include "sotto/mechanisms/ranks/online_thresholds_search.h"
#include "sotto/testing/seeded_rng.h"

namespace sotto {
namespace {

OnlineThresholdsPlan Plan() {
  return {.rate = 0.025,
          .band = 80,
          .value_variance = 400,
          .size_variance = 400,
          .tests = 9,
          .values = 10,
          .width = 360,
          .max_parts = 2048};
}

// Splits `gap` at x as if a paid test had found it there; the value is exact.
void Divide(PivotLine& line, std::size_t gap, std::int64_t x, bool from_left) {
  const std::size_t pivot = line.Split(gap, static_cast<double>(x), from_left);
  const std::size_t from = line.Reference(pivot, from_left);
  ASSERT_NE(from, pivot);
  line.Measure(pivot, from, x);
}

std::int64_t MaxDepth(const PivotLine& line) {
  return std::max_element(
             line.pivots().begin(), line.pivots().end(),
             [](const Pivot& a, const Pivot& b) { return a.depth < b.depth; })
      ->depth;
}

TEST(ThresholdSearchTest, FindsItsPlaceInAGapOfAnySize) {
  auto plan = Plan();
  plan.width = 1;
  plan.max_parts = std::int64_t{1} << 42;
  const std::int64_t size = (std::int64_t{1} << 59) + (std::int64_t{3} << 40);
  ThresholdSearch search(PivotLine(plan, size, 0.05), 0);
  while (!search.done()) search.Vote(/*above=*/true);
  EXPECT_LT(size - search.Estimate(), std::int64_t{1} << 18);
  EXPECT_LE(search.Estimate(), size);
  EXPECT_LT(search.Radius(), std::int64_t{1} << 18);
}

TEST(PivotLineTest, NoRegionIsChargedPastTheLimitsHoweverItIsSplit) {
  testing::SeededRng rng(3);
  PivotLine line(Plan(), 100'000, 0.05);
  int splits = 0;
  for (int i = 0; i < 20'000; ++i) {
    const auto x = static_cast<std::int64_t>(rng.Next() % 100'000);
    const std::size_t gap = line.FindGap(static_cast<double>(x));
    if (line.Parts(gap) == 1 ||
        line.pivots()[gap].at == static_cast<double>(x)) {
      continue;
    }
    // Against all advice: from a random side.
    Divide(line, gap, x, rng.Next() % 2 == 0);
    ++splits;
  }
  EXPECT_GT(splits, 100);
  EXPECT_TRUE(line.Consistent());
}

TEST(PivotLineTest, HalvingFromTheNearerSideEndsInNarrowGaps) {
  testing::SeededRng rng(4);
  PivotLine line(Plan(), 100'000, 0.05);
  for (int i = 0; i < 20'000; ++i) {
    const auto x = static_cast<std::int64_t>(rng.Next() % 100'000);
    const std::size_t gap = line.FindGap(static_cast<double>(x));
    const Pivot& left = line.pivots()[gap];
    if (line.Parts(gap) == 1 || left.at == static_cast<double>(x)) continue;
    Divide(line, gap, x, 2 * (x - left.value) <= line.Size(gap));
  }
  for (std::size_t gap = 0; gap < line.charges().size(); ++gap) {
    EXPECT_LE(line.Size(gap), line.plan().width);
  }
}

// A chain from neighbour to neighbour would be 500 long.
TEST(PivotLineTest, SortedOrdersHaveShortChains) {
  for (const bool ascending : {true, false}) {
    PivotLine line(Plan(), 100'000, 0.05);
    for (std::int64_t i = 1; i < 500; ++i) {
      const std::int64_t x = ascending ? 200 * i : 100'000 - 200 * i;
      const std::size_t gap = line.FindGap(static_cast<double>(x));
      if (line.Parts(gap) > 1) Divide(line, gap, x, ascending);
    }
    EXPECT_GT(line.pivots().size(), 490U);
    EXPECT_LE(MaxDepth(line), 7);
  }
}

TEST(PivotLineTest, APivotIsInTheGapToItsRight) {
  PivotLine line(Plan(), 100'000, 0.05);
  Divide(line, 0, 1000, true);
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(line.FindGap(-kInfinity), 0U);
  EXPECT_EQ(line.FindGap(999.9), 0U);
  EXPECT_EQ(line.FindGap(1000), 1U);
  EXPECT_EQ(line.FindGap(kInfinity), 2U);
}

TEST(PivotLineTest, LinesOverTheLimitsAreInconsistent) {
  PivotLine line(Plan(), 100'000, 0.05);
  Divide(line, 0, 1000, true);
  ASSERT_TRUE(line.Consistent());
  auto charges = line.charges();
  charges[0].tests = 10;
  EXPECT_FALSE(PivotLine(Plan(), line.pivots(), charges, 0.05).Consistent());
  auto pivots = line.pivots();
  pivots[1].reference = 7;
  EXPECT_FALSE(PivotLine(Plan(), pivots, line.charges(), 0.05).Consistent());
}

TEST(ThresholdSearchTest, ExactVotesFindTheQuery) {
  const PivotLine line(Plan(), 100'000, 0.05);
  for (const std::int64_t rank : {1, 180, 5000, 50'000, 99'999}) {
    ThresholdSearch search(line, 0);
    while (!search.done()) {
      search.Vote(search.Excess(search.from_left() ? rank : 100'000 - rank) >
                  0);
    }
    EXPECT_LE(std::abs(search.Estimate() - rank), search.Radius());
    EXPECT_LE(search.Radius(), 181);
  }
}

TEST(ThresholdSearchTest, ItTakesThreeEqualVotes) {
  const PivotLine line(Plan(), 100'000, 0.05);
  ThresholdSearch search(line, 0);
  const ThresholdSearch start = search;
  for (const bool above : {true, false, true, false}) search.Vote(above);
  EXPECT_EQ(search.middle(), start.middle());
  search.Vote(false);
  EXPECT_LT(search.middle(), start.middle());
}

TEST(ThresholdSearchTest, TheBandHasAsManyIntegersAsItSays) {
  for (const std::int64_t band : {1, 2, 7, 80}) {
    int paid = 0;
    for (std::int64_t noisy = -200; noisy <= 200; ++noisy) {
      paid += ZoneOfExcess(noisy, band) == TestZone::kPaid ? 1 : 0;
    }
    EXPECT_EQ(paid, band);
    EXPECT_EQ(ZoneOfExcess(-200, band), TestZone::kBelow);
    EXPECT_EQ(ZoneOfExcess(200, band), TestZone::kAbove);
  }
}

}  // namespace
}  // namespace sotto
