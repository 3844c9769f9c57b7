#include "sotto/mechanisms/counters/tree_counter.h"

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

constexpr double kEpsilon = 4;
// Bound on the delta that cutting the noises at kReach adds.
const double kCut = 4 * 3 * std::exp(-kEpsilon / 2 * three_steps::kReach) * 30;

TEST(TreeCounterTest, ExactDistributionOfASmallTreeIsPrivateInBothDirections) {
  EXPECT_LE(three_steps::WorstDelta(kEpsilon / 2, kEpsilon), kCut);
  // And no more private than that: the noise is not wasted.
  EXPECT_GT(three_steps::WorstDelta(kEpsilon / 2, 0.8 * kEpsilon), 1e-3);
}

TEST(TreeCounterTest, NoiseForOneLevelTooFewIsRefuted) {
  EXPECT_GT(three_steps::WorstDelta(kEpsilon, kEpsilon), 1e-2);
}

TreeCounter::Params SmallTree() {
  return {.epsilon = kEpsilon, .horizon = 3, .radices = {2, 2}};
}

// Printed lines: [POP] Thm 2.10: sums of nodes with noise.
TEST(TreeCounterStatisticalTest, ItsEstimatesHaveTheExactDistribution) {
  const three_steps::View counts = {1, 0, 2};
  const three_steps::Distribution distribution =
      three_steps::ExactDistribution(counts, kEpsilon / 2);
  const TreeCounter fresh = *TreeCounter::Create(SmallTree());
  testing::SeededRng rng(31);
  constexpr int kRuns = 200'000;
  for (const bool batched : {false, true}) {
    std::map<three_steps::View, std::uint64_t> seen;
    for (int run = 0; run < kRuns; ++run) {
      TreeCounter counter = fresh;
      three_steps::View view;
      if (batched) {
        const std::array<std::uint64_t, 3> steps = {1, 0, 2};
        ASSERT_TRUE(counter.AddBatch(steps, view, rng));
      } else {
        for (std::size_t t = 0; t < 3; ++t) {
          view[t] = *counter.Add(static_cast<std::uint64_t>(counts[t]), rng);
        }
      }
      ++seen[view];
    }
    // Views that are expected often enough, and all others together.
    std::vector<std::uint64_t> hits;
    std::vector<double> expected;
    std::uint64_t rest = kRuns;
    double mass = 1;
    for (const auto& [view, p] : distribution) {
      if (p * kRuns < 20) continue;
      hits.push_back(seen[view]);
      expected.push_back(p);
      rest -= hits.back();
      mass -= p;
    }
    hits.push_back(rest);
    expected.push_back(mass);
    EXPECT_GT(hits.size(), 100U);
    EXPECT_GT(ChiSquaredPValue(hits, expected), 1e-6);
  }
}

TEST(TreeCounterTest, BestShapesHaveTheseBounds) {
  auto bound = [](std::uint64_t horizon) {
    return TreeCounter::Create({.epsilon = 1, .horizon = horizon})
        ->ErrorBound();
  };
  EXPECT_NEAR(bound(10'000), 134, 1);
  EXPECT_NEAR(bound(1'000'000), 290, 1);
  EXPECT_NEAR(bound(100'000'000), 504, 1);
  const TreeCounter binary =
      *TreeCounter::Create({.epsilon = 1,
                            .horizon = 1'000'000,
                            .radices = std::vector<std::uint64_t>(20, 2)});
  EXPECT_GT(binary.ErrorBound(), 500);
}

TEST(TreeCounterTest, GuaranteeCountsTheSamplers) {
  const TreeCounter counter =
      *TreeCounter::Create({.epsilon = 1, .horizon = 100'000'000});
  EXPECT_EQ(counter.guarantee().epsilon(), 1);
  EXPECT_GT(counter.guarantee().delta(), 0);
  EXPECT_LT(counter.guarantee().delta(), 1e-20);
  EXPECT_EQ(counter.guarantee().relation(), Relation::kChangeByOne);
  EXPECT_LE(
      counter.shape().rate * static_cast<double>(counter.shape().levels()),
      1.0);
}

TEST(TreeCounterTest, AResumedStreamEqualsAnUninterruptedOne) {
  const TreeCounter::Params params = {.epsilon = 1, .horizon = 5000};
  TreeCounter whole = *TreeCounter::Create(params);
  testing::SeededRng rng(5);
  testing::SeededRng same(5);
  TreeCounter part = *TreeCounter::Create(params);
  for (std::uint64_t t = 0; t < 5000; ++t) {
    if (t % 617 == 0) {
      ByteWriter writer;
      part.Save(writer);
      ByteReader reader(writer.bytes());
      auto loaded = TreeCounter::Load(params, reader);
      ASSERT_TRUE(loaded && reader.Finish());
      part = *std::move(loaded);
    }
    ASSERT_EQ(*whole.Add(t % 3, rng), *part.Add(t % 3, same));
  }
}

TEST(TreeCounterTest, StatesOfOthersAndDamagedOnesAreRefused) {
  const TreeCounter counter =
      *TreeCounter::Create({.epsilon = 1, .horizon = 5000});
  ByteWriter writer;
  counter.Save(writer);
  ByteReader other(writer.bytes());
  EXPECT_EQ(
      TreeCounter::Load({.epsilon = 1, .horizon = 50}, other).error().code,
      ErrorCode::kCorruption);
  const std::string cut = writer.bytes().substr(0, writer.bytes().size() - 1);
  ByteReader damaged(cut);
  EXPECT_EQ(
      TreeCounter::Load({.epsilon = 1, .horizon = 5000}, damaged).error().code,
      ErrorCode::kCorruption);
}

TEST(TreeCounterTest, AStateIsRefusedUnderAnyOtherParameter) {
  // The shape of the tree hardly depends on these; the guarantee does.
  const TreeCounter::Params params = {.epsilon = 2, .horizon = 5000};
  ByteWriter writer;
  TreeCounter::Create(params)->Save(writer);
  auto code = [&](const TreeCounter::Params& other) {
    ByteReader reader(writer.bytes());
    return TreeCounter::Load(other, reader).error().code;
  };
  EXPECT_EQ(code({.epsilon = 1, .horizon = 5000}), ErrorCode::kCorruption);
  EXPECT_EQ(code({.epsilon = std::nextafter(2, 1), .horizon = 5000}),
            ErrorCode::kCorruption);
  EXPECT_EQ(code({.epsilon = 2, .horizon = 4999}), ErrorCode::kCorruption);
  EXPECT_EQ(code({.epsilon = 2, .horizon = 5000, .failure = 0.049}),
            ErrorCode::kCorruption);
  EXPECT_EQ(code({.epsilon = 2, .horizon = 5000, .with_total = true}),
            ErrorCode::kCorruption);
}

TEST(TreeCounterTest, ATreeWithTotalMayNotOutgrowItsSums) {
  EXPECT_EQ(TreeCounter::Create({.epsilon = 1,
                                 .horizon = TreeCounter::kMaxHorizon,
                                 .with_total = true,
                                 .radices = {8192, 8192, 8192, 8192}})
                .error()
                .code,
            ErrorCode::kInvalidArgument);
  EXPECT_TRUE(TreeCounter::Create(
      {.epsilon = 1, .horizon = TreeCounter::kMaxHorizon, .with_total = true}));
}

TEST(TreeShapeTest, SmallRatesLoseNoDigitsOfTheMoments) {
  // One noise: -ln(1 - (tilt / rate)^2), up to the square of the rate.
  const TreeShape shape = *TreeShape::Best({.epsilon = 0x1p-20, .horizon = 1});
  const double exact = -std::log1p(-1e-6);
  EXPECT_NEAR(shape.LogMomentAtEnd(shape.rate / 1000) / exact, 1, 1e-11);
}

TEST(TreeCounterTest, RefusesStepsBeyondItsHorizonAndLargeCounts) {
  testing::SeededRng rng(6);
  TreeCounter counter = *TreeCounter::Create({.epsilon = 1, .horizon = 2});
  EXPECT_EQ(counter.Add(TreeCounter::kMaxCount + 1, rng).error().code,
            ErrorCode::kInvalidArgument);
  EXPECT_TRUE(counter.Add(TreeCounter::kMaxCount, rng));
  EXPECT_TRUE(counter.Add(0, rng));
  EXPECT_EQ(counter.Add(0, rng).error().code, ErrorCode::kFailedPrecondition);
  EXPECT_EQ(counter.steps(), 2U);
}

TEST(TreeCounterTest, RefusesParametersOutOfRange) {
  EXPECT_FALSE(TreeCounter::Create({.epsilon = 0, .horizon = 10}));
  EXPECT_FALSE(TreeCounter::Create({.epsilon = 1, .horizon = 0}));
  EXPECT_FALSE(
      TreeCounter::Create({.epsilon = 1, .horizon = 10, .failure = 1}));
  EXPECT_FALSE(
      TreeCounter::Create({.epsilon = 1, .horizon = 10, .failure = 1e-300}));
  EXPECT_FALSE(TreeCounter::Create({.epsilon = 16.01, .horizon = 10}));
  EXPECT_LT(
      TreeCounter::Create({.epsilon = 16, .horizon = TreeCounter::kMaxHorizon})
          ->guarantee()
          .delta(),
      1e-13);
  EXPECT_FALSE(
      TreeCounter::Create({.epsilon = 1, .horizon = 10, .radices = {2, 2}}));
}

TEST(TreeCounterStatisticalTest, ErrorsExceedTheBoundNoMoreOftenThanAllowed) {
  constexpr int kRuns = 200;
  int exceeded = 0;
  const TreeCounter fresh =
      *TreeCounter::Create({.epsilon = 1, .horizon = 20'000, .failure = 0.2});
  const std::vector<std::uint64_t> counts(20'000, 1);
  std::vector<std::int64_t> estimates(counts.size());
  for (int run = 0; run < kRuns; ++run) {
    testing::SeededRng rng(1000 + static_cast<std::uint64_t>(run));
    TreeCounter counter = fresh;
    ASSERT_TRUE(counter.AddBatch(counts, estimates, rng));
    double worst = 0;
    for (std::size_t t = 0; t < counts.size(); ++t) {
      worst = std::max(worst, std::abs(static_cast<double>(
                                  estimates[t] - static_cast<int>(t) - 1)));
    }
    if (worst > fresh.ErrorBound()) ++exceeded;
    EXPECT_GT(worst, fresh.ErrorBound() / 3);
  }
  EXPECT_LE(
      ClopperPearsonLower(static_cast<std::uint64_t>(exceeded), kRuns, 1e-6),
      0.2);
}

}  // namespace
}  // namespace sotto
