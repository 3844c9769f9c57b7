#include "sotto/mechanisms/counters/unknown_horizon_counter.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "sotto/mechanisms/counters/tree_counter_test_distribution.h"
#include "sotto/testing/seeded_rng.h"
#include "sotto/testing/statistics.h"

namespace sotto {
namespace {

double WorstError(UnknownHorizonCounter counter, std::uint64_t seed,
                  std::size_t steps) {
  testing::SeededRng rng(seed);
  const std::vector<std::uint64_t> counts(steps, 1);
  std::vector<std::int64_t> estimates(steps);
  EXPECT_TRUE(counter.AddBatch(counts, estimates, rng));
  double worst = 0;
  for (std::size_t t = 0; t < steps; ++t) {
    worst = std::max(worst, std::abs(static_cast<double>(estimates[t]) -
                                     static_cast<double>(t + 1)));
  }
  return worst;
}

TEST(UnknownHorizonCounterTest, AResumedStreamEqualsAnUninterruptedOne) {
  const UnknownHorizonCounter::Params params = {.epsilon = 1,
                                                .first_epoch = 10};
  UnknownHorizonCounter whole = *UnknownHorizonCounter::Create(params);
  UnknownHorizonCounter part = whole;
  testing::SeededRng rng(5);
  testing::SeededRng same(5);
  for (std::uint64_t t = 0; t < 700; ++t) {
    if (t % 31 == 0) {
      ByteWriter writer;
      part.Save(writer);
      ByteReader reader(writer.bytes());
      auto loaded = UnknownHorizonCounter::Load(params, reader);
      ASSERT_TRUE(loaded && reader.Finish());
      part = *std::move(loaded);
    }
    ASSERT_EQ(*whole.Add(t % 3, rng), *part.Add(t % 3, same));
  }
  EXPECT_EQ(part.steps(), 700U);
}

TEST(UnknownHorizonCounterTest, BoundsGrowSlowlyAndAreNotFarFromATree) {
  const UnknownHorizonCounter counter =
      *UnknownHorizonCounter::Create({.epsilon = 1});
  const double early = *counter.ErrorBound(1000);
  const double late = *counter.ErrorBound(1'000'000);
  EXPECT_LT(early, 150);
  EXPECT_LT(late, 400);
  EXPECT_GT(late, early);
  EXPECT_FALSE(counter.ErrorBound(0));
}

TEST(UnknownHorizonCounterTest, EpochsDoNotShareTheirBudget) {
  // A step lies in one epoch, so every epoch has all of epsilon.
  const UnknownHorizonCounter counter =
      *UnknownHorizonCounter::Create({.epsilon = 1});
  EXPECT_EQ(counter.guarantee().epsilon(), 1);
  EXPECT_LT(counter.guarantee().delta(), 1e-15);
}

TEST(UnknownHorizonCounterTest, StatesOfOthersAreRefused) {
  const UnknownHorizonCounter counter =
      *UnknownHorizonCounter::Create({.epsilon = 1, .first_epoch = 10});
  ByteWriter writer;
  counter.Save(writer);
  ByteReader reader(writer.bytes());
  EXPECT_EQ(
      UnknownHorizonCounter::Load({.epsilon = 1, .first_epoch = 12}, reader)
          .error()
          .code,
      ErrorCode::kCorruption);
  EXPECT_FALSE(UnknownHorizonCounter::Create({.epsilon = 1, .first_epoch = 0}));
  testing::SeededRng rng(1);
  UnknownHorizonCounter fresh = counter;
  EXPECT_EQ(fresh.Add(UnknownHorizonCounter::kMaxCount + 1, rng).error().code,
            ErrorCode::kInvalidArgument);
  EXPECT_EQ(fresh.steps(), 0U);
}

TEST(UnknownHorizonCounterTest, AStateIsRefusedUnderAnyOtherParameter) {
  const UnknownHorizonCounter::Params params = {.epsilon = 1};
  ByteWriter writer;
  UnknownHorizonCounter::Create(params)->Save(writer);
  auto code = [&](const UnknownHorizonCounter::Params& other) {
    ByteReader reader(writer.bytes());
    return UnknownHorizonCounter::Load(other, reader).error().code;
  };
  EXPECT_EQ(code({.epsilon = 0.01}), ErrorCode::kCorruption);
  EXPECT_EQ(code({.epsilon = 1, .failure = 0.01}), ErrorCode::kCorruption);
  EXPECT_EQ(code({.epsilon = 1, .with_totals = false}), ErrorCode::kCorruption);
}

TEST(UnknownHorizonCounterTest, AStateWhoseClockDisagreesIsRefused) {
  const UnknownHorizonCounter::Params params = {.epsilon = 1,
                                                .first_epoch = 10};
  UnknownHorizonCounter counter = *UnknownHorizonCounter::Create(params);
  testing::SeededRng rng(1);
  for (int t = 0; t < 40; ++t) ASSERT_TRUE(counter.Add(1, rng));
  ByteWriter writer;
  counter.Save(writer);
  std::string bytes = writer.bytes();
  // After the tag with its length, four parameters and the epoch.
  const std::size_t closed_steps = 8 + 25 + 8 + 8 + 8 + 1 + 8;
  auto loads = [&] {
    ByteReader reader(bytes);
    return UnknownHorizonCounter::Load(params, reader).has_value();
  };
  EXPECT_TRUE(loads());
  ++bytes[closed_steps];
  EXPECT_FALSE(loads());
  bytes[closed_steps] = static_cast<char>(bytes[closed_steps] - 2);
  EXPECT_FALSE(loads());
}

// An epoch of two steps and its total, then one of four: two levels each.
const UnknownHorizonCounter::Params kTiny = {.epsilon = 4, .first_epoch = 2};

TEST(UnknownHorizonCounterTest,
     ExactDistributionIsPrivateAndUnpaidTotalsAreRefuted) {
  using three_steps::WorstDelta;
  // Cutting the noises at kReach adds no more than this.
  const double cut = 400 * std::exp(-2.0 * three_steps::kReach);
  EXPECT_LE(WorstDelta(/*rate=*/2, /*epsilon=*/4), cut);
  // The broken variant draws the steps' noise as if the totals cost nothing.
  EXPECT_GT(WorstDelta(/*rate=*/4, /*epsilon=*/4), 1e-2);
}

TEST(UnknownHorizonCounterStatisticalTest, EstimatesHaveTheExactDistribution) {
  const three_steps::Distribution distribution =
      three_steps::ExactDistribution({1, 0, 2}, 2);
  const UnknownHorizonCounter fresh = *UnknownHorizonCounter::Create(kTiny);
  constexpr std::uint64_t kRuns = 100'000;
  std::map<three_steps::View, std::uint64_t> seen;
  testing::SeededRng rng(77);
  for (std::uint64_t run = 0; run < kRuns; ++run) {
    UnknownHorizonCounter counter = fresh;
    three_steps::View view;
    const std::array<std::uint64_t, 3> counts = {1, 0, 2};
    ASSERT_TRUE(counter.AddBatch(counts, view, rng));
    ++seen[view];
  }
  std::vector<std::uint64_t> hits = {kRuns};
  std::vector<double> expected = {1};
  for (const auto& [view, p] : distribution) {
    if (p * static_cast<double>(kRuns) < 20) continue;
    hits.push_back(seen[view]);
    expected.push_back(p);
    hits.front() -= hits.back();
    expected.front() -= p;
  }
  EXPECT_GT(hits.size(), 50U);
  EXPECT_GT(ChiSquaredPValue(hits, expected), 1e-6);
}

TEST(UnknownHorizonCounterStatisticalTest, ErrorsStayWithinTheBound) {
  const UnknownHorizonCounter fresh = *UnknownHorizonCounter::Create(
      {.epsilon = 1, .first_epoch = 64, .failure = 0.2});
  const double bound = *fresh.ErrorBound(20'000);
  std::uint64_t exceeded = 0;
  for (std::uint64_t run = 0; run < 200; ++run) {
    const double worst = WorstError(fresh, run, 20'000);
    if (worst > bound) ++exceeded;
    EXPECT_GT(worst, bound / 4);
  }
  EXPECT_LE(ClopperPearsonLower(exceeded, 200, 1e-6), 0.2);
}

}  // namespace
}  // namespace sotto
