#include "sotto/models/stumps/stump_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "sotto/models/stumps/stump_test_tables.h"
#include "sotto/testing/seeded_rng.h"

namespace sotto {
namespace {

using testing::AllTables;
using testing::ForEachNeighbour;
using testing::MakeTable;
using testing::Row;
using testing::Rows;

std::int64_t ByTrying(const Rows& rows, bool down) {
  auto least = static_cast<std::int64_t>(rows.size());
  for (double cut = -10.5; cut < 11; cut += 0.25) {
    std::int64_t errors = 0;
    for (const Row& row : rows) {
      errors += ((row.value > cut) != down) != row.label ? 1 : 0;
    }
    least = std::min(least, errors);
  }
  return least;
}

std::int64_t CountErrors(const Rows& rows, const StumpCut& cut) {
  return std::ranges::count_if(rows, [&](const Row& row) {
    return ((row.value >= cut.from) != cut.axis.down) != row.label;
  });
}

TEST(StumpTableTest, TheBestCutMakesAsManyErrorsAsItsScoreSays) {
  for (const Rows& rows : AllTables(5)) {
    const StumpTable table = MakeTable(rows);
    const auto scores = table.Scores();
    for (const bool down : {false, true}) {
      const StumpCut cut = table.BestCut({0, down});
      EXPECT_EQ(CountErrors(rows, cut), -scores[down ? 1 : 0]);
    }
  }
}

TEST(StumpTableTest, ScoresAreTheLeastErrorsOfAnyThreshold) {
  testing::SeededRng rng(1);
  for (int t = 0; t < 200; ++t) {
    Rows rows;
    for (std::uint64_t i = rng.Next() % 12; i > 0; --i) {
      rows.push_back(
          {static_cast<double>(rng.Next() % 9) - 4, rng.Next() % 2 == 0});
    }
    const auto scores = MakeTable(rows).Scores();
    EXPECT_EQ(scores[0], -ByTrying(rows, false));
    EXPECT_EQ(scores[1], -ByTrying(rows, true));
  }
}

TEST(StumpTableTest, OneRowMovesNoScoreByMoreThanOneAndAllTheSameWay) {
  ForEachNeighbour(4, [](const Rows& a, const Rows& b) {
    const auto with = MakeTable(a).Scores();
    const auto without = MakeTable(b).Scores();
    for (std::size_t s = 0; s < 2; ++s) {
      ASSERT_LE(std::abs(with[s] - without[s]), 1);
      if (a.size() > b.size()) {
        ASSERT_LE(with[s], without[s]);
      }
    }
  });
}

std::int64_t Formula(const Rows& rows, bool down, double v, std::int64_t inside,
                     std::int64_t size) {
  std::int64_t above = 0;
  for (const Row& row : rows) {
    above += (down ? -row.value : row.value) > v ? 1 : 0;
  }
  return std::clamp<std::int64_t>(above - (inside - size), 0, size);
}

TEST(StumpTableTest, AWindowCountsByRanksWhateverTheNumberOfPositives) {
  for (const Rows& rows : AllTables(4)) {
    const StumpTable table = MakeTable(rows);
    for (const bool down : {false, true}) {
      for (std::int64_t inside = -3; inside < 9; ++inside) {
        for (const std::int64_t size : {1, 2, 3}) {
          const BoundarySet set = table.Window({0, down}, inside, size);
          for (const double v : {-2.5, -1.0, 0.0, 0.5, 1.0, 2.0}) {
            ASSERT_EQ(set.CountAbove(v), Formula(rows, down, v, inside, size));
          }
        }
      }
    }
  }
}

// The largest difference of a count between neighbours; `Inside` says how many
// rows are taken to be positive.
template <typename Inside>
std::int64_t WindowSensitivity(const Inside& inside) {
  std::int64_t worst = 0;
  ForEachNeighbour(4, [&](const Rows& a, const Rows& b) {
    for (std::int64_t p = -1; p < 6; ++p) {
      const BoundarySet with = MakeTable(a).Window({0, false}, inside(a, p), 2);
      const BoundarySet without =
          MakeTable(b).Window({0, false}, inside(b, p), 2);
      for (const double v : {-0.5, 0.0, 1.0, 2.0}) {
        worst = std::max(worst,
                         std::abs(with.CountAbove(v) - without.CountAbove(v)));
      }
    }
  });
  return worst;
}

TEST(StumpTableTest, OneRowMovesNoCountOfAWindowByMoreThanOne) {
  EXPECT_EQ(WindowSensitivity([](const Rows&, std::int64_t p) { return p; }),
            1);
}

TEST(StumpTableTest, TakingTheNumberOfPositivesAsItIsIsRefuted) {
  EXPECT_EQ(WindowSensitivity([](const Rows& rows, std::int64_t) {
              return MakeTable(rows).positives();
            }),
            2);
}

}  // namespace
}  // namespace sotto
