#include "sotto/report/progress_table.h"

#include <gtest/gtest.h>

namespace sotto {
namespace {

std::string ReadRows(ProgressTable& table, std::uint64_t rounds) {
  std::string text;
  RunStats::Point now;
  for (std::uint64_t i = 1; i <= rounds; ++i) {
    now.rounds = i;
    if (i % 2 == 0) ++now.labelled;
    if (i % 4 == 0) ++now.mistakes;
    now.error = 2.5 * static_cast<double>(now.labelled);
    now.shown = static_cast<std::int64_t>(i / 3);
    if (table.Due(now)) text += table.Row(now, i / 4);
  }
  return text + table.Last(now, 9);
}

TEST(ProgressTableTest, AveragesOverRoundsWithLabels) {
  auto table = *ProgressTable::Create({}, {});
  EXPECT_EQ(
      table.Header(),
      "The operator's own view, not covered by the guarantee (--public prints "
      "what is):\n"
      "      rounds     mistakes   average since last       paid  phase\n");
  EXPECT_EQ(
      ReadRows(table, 9),
      "           1            0         -          -          0      1\n"
      "           2            0  0.000000   0.000000          0      1\n"
      "           4            1  0.500000   1.000000          0      2\n"
      "           8            2  0.500000   0.500000          0      3\n"
      "           9            2  0.500000          -          0     10\n");
}

TEST(ProgressTableTest, ShowsThePublicTheClockAndThePrivateCount) {
  auto table = *ProgressTable::Create({.every = "4", .public_only = true}, {});
  EXPECT_EQ(table.Header(),
            "Mistakes are private estimates: this table may be shown.\n"
            "      rounds     mistakes per round  phase\n");
  EXPECT_EQ(ReadRows(table, 8),
            "           4            1  0.250000      2\n"
            "           8            2  0.250000      3\n");
}

TEST(ProgressTableTest, OfNumbersShowsTheMeanError) {
  const LabelType price{.kind = LabelType::Kind::kNumber};
  auto table = *ProgressTable::Create({.every = "4", .label = price}, {});
  EXPECT_NE(table.Header().find("mean err."), std::string::npos);
  EXPECT_EQ(
      ReadRows(table, 4),
      "           4            2  2.500000   2.500000          0      2\n");
  auto shown = *ProgressTable::Create(
      {.every = "4", .label = price, .public_only = true, .counted = false},
      {});
  EXPECT_EQ(ReadRows(shown, 4), "           4      2\n");
}

TEST(ProgressTableTest, GoesOnWhereItWas) {
  RunStats::Point start;
  start.rounds = 5;
  auto doubling = *ProgressTable::Create({}, start);
  RunStats::Point now;
  now.rounds = 7;
  EXPECT_FALSE(doubling.Due(now));
  now.rounds = 8;
  EXPECT_TRUE(doubling.Due(now));
  EXPECT_EQ(doubling.Last(start, 0), "");
  auto stepping = *ProgressTable::Create({.every = "3"}, start);
  now.rounds = 6;
  EXPECT_TRUE(stepping.Due(now));
}

TEST(ProgressTableTest, GoesOnAtOnceFromAnyRound) {
  RunStats::Point start;
  start.rounds = ~std::uint64_t{0};
  for (const char* every : {"1.001", "2.0", "1", "1000"}) {
    EXPECT_TRUE(ProgressTable::Create({.every = every}, start)) << every;
  }
}

TEST(ProgressTableTest, RefusesStepsThatAreNone) {
  for (const char* every : {"", "0", "-1", "1.0", "1.0000001", "0.5", "x",
                            "2.0x", "nan", "1e300", "2e1.5", "\x1b[2J"}) {
    const auto table = ProgressTable::Create({.every = every}, {});
    ASSERT_FALSE(table) << every;
    EXPECT_EQ(table.error().message.find('\x1b'), std::string::npos);
  }
}

}  // namespace
}  // namespace sotto
