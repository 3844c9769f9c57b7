#include "sotto/models/leader/drift_watch.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <cstring>
#include <set>
#include <string>

#include "sotto/testing/seeded_rng.h"

namespace sotto {
namespace {

// Rounds until it fires, at most `most`, with these mistakes a round.
std::uint64_t FiresAfter(DriftWatch& watch, double rate, std::uint64_t most,
                         Rng& rng) {
  double owed = 0;
  for (std::uint64_t t = 1; t <= most; ++t) {
    if (watch.Advance(rng)) return t;
    owed += rate;
    const bool mistake = owed >= 1;
    if (mistake) owed -= 1;
    watch.Count(watch.block(), mistake);
  }
  return 0;
}

TEST(DriftWatchTest, FiresWhereMistakesPileUpAndNotOtherwise) {
  auto watch = DriftWatch::Create({.epsilon = 0.2});
  ASSERT_TRUE(watch);
  testing::SeededRng rng(1);
  watch->Begin(1 << 20, true, rng);
  EXPECT_EQ(FiresAfter(*watch, 0, 200'000, rng), 0U);
  const std::uint64_t after = FiresAfter(*watch, 0.3, 20'000, rng);
  EXPECT_GT(after, 100U);
  EXPECT_LT(after, 2000U);
}

TEST(DriftWatchTest, SeesAHypothesisThatIsMostlyWrongHoweverSmallEpsilonIs) {
  auto watch = DriftWatch::Create({.epsilon = 0.01});
  ASSERT_TRUE(watch);
  testing::SeededRng rng(4);
  watch->Begin(1 << 20, true, rng);
  EXPECT_GT(FiresAfter(*watch, 0.75, 20'000, rng), 0U);
}

TEST(DriftWatchTest, GetsUsedToLabelsThatNoHypothesisExplains) {
  auto watch = DriftWatch::Create({.epsilon = 0.5});
  ASSERT_TRUE(watch);
  testing::SeededRng rng(2);
  int fired = 0;
  for (int epoch = 0; epoch < 20; ++epoch) {
    watch->Begin(64, false, rng);
    if (FiresAfter(*watch, 0.2, 20'000, rng) > 0) ++fired;
  }
  EXPECT_GE(fired, 2);
  EXPECT_LE(fired, 6);
  EXPECT_GE(watch->expected_wrong(), 0.2);
}

TEST(DriftWatchTest, AMistakeCountsInTheBlockOfItsRoundOrNever) {
  auto watch = DriftWatch::Create({.epsilon = 8});
  ASSERT_TRUE(watch);
  testing::SeededRng rng(3);
  watch->Begin(1024, true, rng);
  const std::uint64_t before = watch->block();
  bool fired = false;
  for (int t = 0; t < 900; ++t) {
    fired = fired || watch->Advance(rng);
    // Labels of rounds of the first block, all late but for the first 31.
    watch->Count(before, t > 31);
  }
  EXPECT_FALSE(fired);
}

// The noise of a window is its own: 30 draws of rate 0.2 are not all alike.
TEST(DriftWatchTest, EveryWindowDrawsItsNoise) {
  auto watch = DriftWatch::Create({.epsilon = 0.2});
  ASSERT_TRUE(watch);
  testing::SeededRng rng(6);
  std::set<std::int64_t> thresholds;
  for (int window = 0; window < 30; ++window) {
    watch->Begin(64, false, rng);
    ByteWriter writer;
    watch->Save(writer);
    ByteReader reader(writer.bytes());
    thresholds.insert(reader.Number<std::int64_t>());
  }
  EXPECT_GT(thresholds.size(), 5U);
}

TEST(DriftWatchTest, AsksForTheFirstTimeAfterAWholeBlock) {
  auto watch = DriftWatch::Create({.epsilon = 0.2, .block = 4});
  ASSERT_TRUE(watch);
  testing::SeededRng rng(7);
  watch->Begin(64, true, rng);
  const std::uint64_t first = watch->block();
  for (int t = 0; t < 4; ++t) {
    EXPECT_FALSE(watch->Advance(rng));
    EXPECT_EQ(watch->block(), first) << t;
  }
  EXPECT_FALSE(watch->Advance(rng));
  EXPECT_EQ(watch->block(), first + 1);
}

// The end of a window is a state like any other; more mistakes than rounds, or
// a share of mistakes above one half, are none.
TEST(DriftWatchTest, StatesOfEveryRoundLoadAndImpossibleOnesDoNot) {
  auto watch = DriftWatch::Create({.epsilon = 2, .block = 4});
  ASSERT_TRUE(watch);
  testing::SeededRng rng(8);
  watch->Begin(64, true, rng);
  std::string state;
  for (int t = 0; t < 3000; ++t) {
    ASSERT_FALSE(watch->Advance(rng));
    ByteWriter writer;
    watch->Save(writer);
    state = writer.bytes();
    auto loaded = DriftWatch::Create({.epsilon = 2, .block = 4});
    ByteReader reader(state);
    ASSERT_TRUE(loaded->Load(reader)) << t;
  }
  const auto loads = [&](std::size_t place, std::uint64_t number) {
    std::string damaged = state;
    std::memcpy(damaged.data() + damaged.size() - place, &number,
                sizeof(number));
    auto loaded = DriftWatch::Create({.epsilon = 2, .block = 4});
    ByteReader reader(damaged);
    return loaded->Load(reader);
  };
  // From the end: the share, then fired, block, rounds and count.
  EXPECT_FALSE(loads(8, std::bit_cast<std::uint64_t>(0.75)));
  EXPECT_FALSE(loads(8, std::bit_cast<std::uint64_t>(-0.25)));
  EXPECT_FALSE(loads(32, std::uint64_t{1} << 40));
  EXPECT_FALSE(loads(40, std::uint64_t{1} << 40));
}

TEST(DriftWatchTest, AStateGoesOnWhereItWas) {
  auto one = DriftWatch::Create({.epsilon = 0.2});
  testing::SeededRng rng(4);
  one->Begin(4096, true, rng);
  static_cast<void>(FiresAfter(*one, 0.05, 700, rng));
  ByteWriter writer;
  one->Save(writer);
  auto two = DriftWatch::Create({.epsilon = 0.2});
  ByteReader reader(writer.bytes());
  ASSERT_TRUE(two->Load(reader));
  testing::SeededRng a(5);
  testing::SeededRng b(5);
  EXPECT_EQ(FiresAfter(*one, 0.3, 5000, a), FiresAfter(*two, 0.3, 5000, b));
}

}  // namespace
}  // namespace sotto
