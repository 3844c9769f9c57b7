#include "sotto/data/schemas/private_ranges.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>
#include <string>

#include "sotto/data/schemas/private_scaffold.h"
#include "sotto/testing/scratch_folder.h"
#include "sotto/testing/seeded_rng.h"

namespace sotto {
namespace {

TEST(PrivateRangesTest, CellsAreInOrderAndHoldTheirNumbers) {
  std::uint64_t last = 0;
  for (const double value :
       {-std::numeric_limits<double>::infinity(), -1e30, -1e18, -1.0, -0.9,
        -1e-6, -1e-9, 0.0, 1e-9, 1e-6, 0.9, 1.0, 1.19, 1.5, 1.99, 2.0, 1e18,
        1e30, std::numeric_limits<double>::infinity()}) {
    const std::uint64_t cell = PrivateRanges::FindCell(value);
    EXPECT_GE(cell, last) << value;
    EXPECT_LT(cell, PrivateRanges::kCells);
    last = cell;
    const auto [low, high] = PrivateRanges::CellRange(cell);
    if (std::fabs(value) > 1e-5 && std::fabs(value) < 1e17) {
      EXPECT_LE(low, value);
      EXPECT_GE(high, value);
      EXPECT_LT(std::fabs(high / low), 2);
    }
  }
}

TEST(PrivateRangesTest, ARangeSpansWhatManyRowsHold) {
  testing::SeededRng rng(7);
  auto ranges =
      *PrivateRanges::Create({.epsilon = 1, .delta = 1e-6, .columns = 3});
  for (int i = 0; i < 20'000; ++i) {
    const std::array<std::optional<double>, 3> row = {
        18.0 + i % 70, i % 2 == 0 ? -5.0 : 300.0, std::nullopt};
    ranges.Add(row);
  }
  const std::array<std::optional<double>, 3> outlier = {1e12, -1e12, 5};
  ranges.Add(outlier);
  const auto found = ranges.Release(rng);
  ASSERT_TRUE(found[0] && found[1]);
  EXPECT_FALSE(found[2]);  // a single row must not show
  EXPECT_GE(found[0]->first, 16);
  EXPECT_LE(found[0]->first, 19);
  EXPECT_GE(found[0]->second, 87);
  EXPECT_LE(found[0]->second, 108);
  EXPECT_LE(found[1]->first, -5);
  EXPECT_GE(found[1]->second, 300);
}

TEST(PrivateRangesTest, WithoutColumnsOrBudgetThereIsNone) {
  EXPECT_FALSE(PrivateRanges::Create({.epsilon = 1, .delta = 1e-6}));
  EXPECT_FALSE(
      PrivateRanges::Create({.epsilon = 0, .delta = 1e-6, .columns = 1}));
  EXPECT_FALSE(PrivateRanges::Create({.epsilon = 1, .columns = 1}));
}

// The noise is for a group of rows: the least count that shows grows with it.
TEST(PrivateRangesTest, TheGuaranteeIsForAllRowsOfAUser) {
  const auto shows = [](std::uint64_t rows_per_user, int rows) {
    testing::SeededRng rng(7);
    auto ranges = *PrivateRanges::Create({.epsilon = 1,
                                          .delta = 1e-6,
                                          .columns = 1,
                                          .rows_per_user = rows_per_user});
    EXPECT_EQ(ranges.guarantee().rounds_per_user(), rows_per_user);
    EXPECT_EQ(ranges.guarantee().epsilon(), 1);
    const std::array<std::optional<double>, 1> row = {5.0};
    for (int i = 0; i < rows; ++i) ranges.Add(row);
    return ranges.Release(rng)[0].has_value();
  };
  EXPECT_TRUE(shows(1, 80));
  EXPECT_FALSE(shows(10, 80));
  EXPECT_FALSE(shows(10, 250));  // 10 times as much as for one row
  EXPECT_TRUE(shows(10, 800));
  EXPECT_FALSE(PrivateRanges::Create(
      {.epsilon = 1, .delta = 1e-6, .columns = 1, .rows_per_user = 0}));
}

// The parts are the columns, each for all rows of a user.
TEST(PrivateRangesTest, TheCostIsThatOfAllColumnsAndRows) {
  for (const std::uint64_t rows : {1, 4}) {
    for (const std::size_t columns : {1, 3}) {
      const auto ranges = PrivateRanges::Create({.epsilon = 1,
                                                 .delta = 1e-6,
                                                 .columns = columns,
                                                 .rows_per_user = rows});
      ASSERT_TRUE(ranges);
      const Spend& spend = ranges->guarantee().spend();
      EXPECT_EQ(spend.parts.size(), columns);
      EXPECT_LE(Total(spend).epsilon, 1);
      EXPECT_GE(Total(spend).epsilon, 0.98);
      for (const Spend& part : spend.parts) {
        const double share = Total(part).epsilon * static_cast<double>(columns);
        EXPECT_NEAR(share, 1, 0.02);
      }
    }
  }
}

// Nine users of ten rows each, of which two count. The noise is for two.
TEST(PrivateScaffoldTest, OnlyAdmittedRowsCountAndTheNoiseIsForThem) {
  const testing::ScratchFolder folder;
  std::string text = "age,name,y\n";
  for (int i = 0; i < 90; ++i) {
    text += std::to_string(20 + i % 10) + ",u" + std::to_string(i / 10) + "," +
            std::to_string(i % 2) + "\n";
  }
  folder.Write("t.csv", text);
  SchemaFacts facts;
  facts.label = "y";
  facts.user = "name";
  const auto run = [&](const ApproximateDp& budget, bool limited) {
    auto table = TableReader::Open({.path = folder.path("t.csv"),
                                    .skip_bad = true,
                                    .quiet_faults = true,
                                    .input = {}});
    EXPECT_TRUE(table);
    std::map<std::string, int, std::less<>> had;
    testing::SeededRng rng(4);
    return ScaffoldWithPrivateRanges(
        *table, facts,
        {.budget = budget,
         .rows_per_user = 2,
         .admit =
             [&](std::string_view user) {
               return !limited || ++had[std::string(user)] <= 2;
             }},
        rng);
  };
  const auto found = run({16, 1e-2}, true);
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->guarantee.rounds_per_user(), 2U);
  EXPECT_EQ(found->guarantee.epsilon(), 16);
  const auto direct = PrivateRanges::Create(
      {.epsilon = 16, .delta = 1e-2, .columns = 1, .rows_per_user = 2});
  EXPECT_EQ(found->guarantee.delta(), direct->guarantee().delta());
  // The first two rows of every user hold 20 and 21, the others up to 29.
  ASSERT_TRUE(found->schema.columns[0].range);
  EXPECT_LE(found->schema.columns[0].range->second, 24);
  const auto all = run({16, 1e-2}, false);
  ASSERT_TRUE(all && all->schema.columns[0].range);
  EXPECT_GE(all->schema.columns[0].range->second, 28);
  // With a small budget 90 rows of nine users show nothing.
  const auto none = run({0.05, 1e-6}, false);
  ASSERT_TRUE(none);
  EXPECT_FALSE(none->schema.columns[0].range);
}

// Counts that one row adds to the cells of a column.
using Counts = std::array<int, 5>;
using AddTo = void (*)(std::optional<double>, Counts&);

std::size_t Near(double value) {
  return PrivateRanges::FindCell(value) - PrivateRanges::FindCell(1.0) + 1;
}
void Sound(std::optional<double> value, Counts& counts) {
  if (value) ++counts[Near(*value)];
}
// Broken: smooths by counting a number in the cells next to it, too.
void Smoothed(std::optional<double> value, Counts& counts) {
  if (!value) return;
  for (std::size_t i = 0; i < 3; ++i) ++counts[Near(*value) - 1 + i];
}

// The largest change by one replaced row, over all tables of two rows.
int Sensitivity(AddTo add) {
  const std::array<std::optional<double>, 4> values = {std::nullopt, 1.0, 1.2,
                                                       1.45};
  int most = 0;
  for (const auto& other : values) {
    for (const auto& before : values) {
      for (const auto& after : values) {
        Counts a{};
        Counts b{};
        add(other, a);
        add(before, a);
        add(other, b);
        add(after, b);
        int changed = 0;
        for (std::size_t i = 0; i < a.size(); ++i) {
          changed += std::abs(a[i] - b[i]);
        }
        most = std::max(most, changed);
      }
    }
  }
  return most;
}

TEST(PrivateRangesTest, ARowChangesTwoCellsByOneAndTheSmoothedVariantMore) {
  constexpr int kProved = 2;  // for which SparseHistogram's noise is made
  EXPECT_EQ(Sensitivity(Sound), kProved);
  EXPECT_GT(Sensitivity(Smoothed), kProved);
}

}  // namespace
}  // namespace sotto
