#include "sotto/random/threshold_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "sotto/random/internal/real.h"
#include "sotto/testing/scripted_rng.h"
#include "sotto/testing/seeded_rng.h"

namespace sotto {
namespace {

using testing::ScriptedRng;
using testing::SeededRng;

constexpr std::uint64_t kTop = std::uint64_t{1} << 63;
constexpr std::uint64_t kOnes = std::numeric_limits<std::uint64_t>::max();

Uint128 Wide(std::uint64_t high, std::uint64_t low) {
  return (Uint128{high} << 64) | low;
}

// The expected draw for the 128-bit number (first ^ top bit, second).
std::uint64_t CountAtMost(const ThresholdTable& table, std::uint64_t first,
                          std::uint64_t second) {
  const Uint128 number = Wide(first ^ kTop, second);
  return static_cast<std::uint64_t>(std::ranges::count_if(
      table.thresholds(), [number](Uint128 t) { return t <= number; }));
}

// Thresholds that share upper halves, at both ends of the range too.
ThresholdTable HardTable() {
  return ThresholdTable({Wide(0, 0), Wide(0, 9), Wide(7, 0), Wide(7, 5),
                         Wide(7, 5), Wide(kTop, 3), Wide(kOnes, kOnes)});
}

TEST(ThresholdTableTest, EveryBoundaryFallsOnTheRightSide) {
  const ThresholdTable table = HardTable();
  for (const std::uint64_t high :
       {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{6}, std::uint64_t{7},
        std::uint64_t{8}, kTop - 1, kTop, kOnes}) {
    for (const std::uint64_t low :
         {std::uint64_t{0}, std::uint64_t{2}, std::uint64_t{3},
          std::uint64_t{4}, std::uint64_t{5}, std::uint64_t{9}, kOnes}) {
      ScriptedRng rng({high ^ kTop, low});
      EXPECT_EQ(table.Draw(rng), CountAtMost(table, high ^ kTop, low))
          << high << " " << low;
    }
  }
}

// The second words of ties follow the first words of the whole batch.
TEST(ThresholdTableTest, ABatchResolvesItsTiesLaneByLane) {
  const ThresholdTable table = HardTable();
  std::vector<std::uint64_t> script(32, 1);
  script[3] = 7 ^ kTop;
  script[30] = kTop ^ kTop;
  script.push_back(4);
  script.push_back(3);
  ScriptedRng rng(script);
  std::vector<std::int64_t> values(32, 1);
  table.DrawBatch(rng, 4, values);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::uint64_t second = i == 3 ? 4 : 3;
    const auto draw =
        static_cast<std::int64_t>(CountAtMost(table, script[i], second));
    EXPECT_EQ(values[i], 1 | draw << 4) << i;
  }
}

TEST(ThresholdTableTest, ABatchOfAnySizeAgreesWithSingleDraws) {
  std::vector<Uint128> thresholds;
  for (std::uint64_t i = 1; i <= 15; ++i)
    thresholds.push_back(Wide(i << 60, i));
  const ThresholdTable table(thresholds);
  for (const std::size_t size : {1u, 31u, 32u, 33u, 255u, 256u}) {
    SeededRng batch_rng(size);
    SeededRng single_rng(size);
    std::vector<std::int64_t> values(size);
    table.DrawBatch(batch_rng, 0, values);
    for (const std::int64_t value : values) {
      ASSERT_EQ(value, static_cast<std::int64_t>(table.Draw(single_rng)));
    }
  }
}

TEST(ThresholdTableTest, AnEntryIsTheFloorOfTheExactProbability) {
  // floor(2^128 / e), from 80 decimal digits.
  const Uint128 entry =
      internal::ExpOfMinus(internal::Real(*Rational::Create(1, 1))).Floor128();
  EXPECT_EQ(High64(entry), 0x5e2d58d8b3bcdf1au);
  EXPECT_EQ(Low64(entry), 0xbadec7829054f90du);
}

}  // namespace
}  // namespace sotto
