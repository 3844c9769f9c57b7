#include "sotto/mechanisms/ranks/online_thresholds.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <string_view>
#include <utility>
#include <vector>

#include "sotto/testing/seeded_rng.h"

namespace sotto {
namespace {

using Params = OnlineThresholds::Params;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// 0, 1, ..., n - 1: a query's answer is its ceiling.
std::vector<double> Ramp(int n) {
  std::vector<double> data(static_cast<std::size_t>(n));
  std::iota(data.begin(), data.end(), 0.0);
  return data;
}

constexpr Params kParams{.epsilon = 4, .delta = 1e-6, .horizon = 3000};

TEST(OnlineThresholdsTest, AnswersAreWithinTheirBounds) {
  testing::SeededRng rng(1);
  auto ranks = OnlineThresholds::Create(kParams, Ramp(5000), rng);
  ASSERT_TRUE(ranks);
  std::int64_t worst = 0;
  for (int i = 0; i < 3000; ++i) {
    const auto x = static_cast<std::int64_t>(rng.Next() % 5000);
    const auto answer = ranks->Query(static_cast<double>(x), rng);
    ASSERT_TRUE(answer);
    EXPECT_LE(std::abs(answer->estimate - x), answer->error);
    worst = std::max(worst, answer->error);
  }
  EXPECT_EQ(ranks->ErrorBound(), worst);
  EXPECT_LT(worst, 500);
  EXPECT_GT(ranks->line().pivots().size(), 10U);
}

TEST(OnlineThresholdsTest, TheGuaranteeIsWhatWasAskedFor) {
  testing::SeededRng rng(1);
  const auto ranks = OnlineThresholds::Create(kParams, Ramp(10), rng);
  ASSERT_TRUE(ranks);
  EXPECT_EQ(ranks->guarantee().epsilon(), 4);
  EXPECT_EQ(ranks->guarantee().delta(), 1e-6);
  EXPECT_EQ(ranks->guarantee().relation(), Relation::kAddRemove);
}

TEST(OnlineThresholdsTest, TiesInfinitiesAndNanRecordsAreCountedAsDefined) {
  testing::SeededRng rng(2);
  std::vector<double> data(4000, 7.0);
  data.insert(data.end(), 4000, -kInfinity);
  data.insert(data.end(), 4000, kInfinity);
  data.insert(data.end(), 4000, std::nan(""));
  auto ranks = OnlineThresholds::Create(kParams, std::move(data), rng);
  ASSERT_TRUE(ranks);
  const auto expect = [&](double x, std::int64_t truth) {
    for (int i = 0; i < 50; ++i) {
      const auto answer = ranks->Query(x, rng);
      ASSERT_TRUE(answer);
      EXPECT_LE(std::abs(answer->estimate - truth), answer->error);
      EXPECT_LT(answer->error, 500);
    }
  };
  expect(7, 4000);  // the ties are not less than 7
  expect(std::nextafter(7, 8), 8000);
  expect(kInfinity, 8000);
  expect(-5, 4000);
  const auto lowest = ranks->Query(-kInfinity, rng);
  ASSERT_TRUE(lowest);
  EXPECT_EQ(*lowest, (OnlineThresholds::Answer{0, 0}));
}

TEST(OnlineThresholdsTest, AnEmptyDataSetIsAnswered) {
  testing::SeededRng rng(3);
  auto ranks = OnlineThresholds::Create(kParams, {}, rng);
  ASSERT_TRUE(ranks);
  for (const double x : {-1.0, 0.0, 1e300}) {
    const auto answer = ranks->Query(x, rng);
    ASSERT_TRUE(answer);
    EXPECT_LE(answer->estimate, answer->error);
  }
}

TEST(OnlineThresholdsTest, RefusesNanAndQueriesPastTheHorizon) {
  testing::SeededRng rng(4);
  Params params = kParams;
  params.horizon = 2;
  auto ranks = OnlineThresholds::Create(params, Ramp(100), rng);
  ASSERT_TRUE(ranks);
  const auto invalid = ranks->Query(std::nan(""), rng);
  ASSERT_FALSE(invalid);
  EXPECT_EQ(invalid.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(ranks->queries(), 0U);
  EXPECT_TRUE(ranks->Query(1, rng));
  EXPECT_TRUE(ranks->Query(2, rng));
  const auto late = ranks->Query(3, rng);
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, ErrorCode::kFailedPrecondition);
  EXPECT_EQ(ranks->queries(), 2U);
}

TEST(OnlineThresholdsTest, APivotIsAnsweredAlikeForEver) {
  testing::SeededRng rng(5);
  auto ranks = OnlineThresholds::Create(kParams, Ramp(5000), rng);
  ASSERT_TRUE(ranks);
  for (int i = 0; i < 1000; ++i) {
    ASSERT_TRUE(ranks->Query(static_cast<double>(rng.Next() % 5000), rng));
  }
  ASSERT_GT(ranks->line().pivots().size(), 2U);
  const Pivot pivot = ranks->line().pivots()[1];
  for (int i = 0; i < 5; ++i) {
    const auto answer = ranks->Query(pivot.at, rng);
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->estimate, std::max<std::int64_t>(pivot.value, 0));
  }
}

TEST(OnlineThresholdsTest, RejectsABadFailureProbability) {
  testing::SeededRng rng(6);
  for (const double failure : {0.0, 1.0, std::nan("")}) {
    Params params = kParams;
    params.failure = failure;
    const auto ranks = OnlineThresholds::Create(params, Ramp(10), rng);
    ASSERT_FALSE(ranks);
    EXPECT_EQ(ranks.error().code, ErrorCode::kInvalidArgument);
  }
}

class SavedOnlineThresholdsTest : public ::testing::Test {
 protected:
  SavedOnlineThresholdsTest() {
    testing::SeededRng rng(7);
    ranks_ = std::make_unique<OnlineThresholds>(
        *OnlineThresholds::Create(kParams, Ramp(5000), rng));
    for (int i = 0; i < 500; ++i) Ask(*ranks_, rng);
    ranks_->Save(writer_);
  }
  static OnlineThresholds::Answer Ask(OnlineThresholds& ranks, Rng& rng) {
    return *ranks.Query(static_cast<double>(rng.Next() % 5000), rng);
  }
  static Result<OnlineThresholds> Load(const Params& params,
                                       std::string_view bytes) {
    ByteReader reader(bytes);
    return OnlineThresholds::Load(params, Ramp(5000), reader);
  }

  std::unique_ptr<OnlineThresholds> ranks_;
  ByteWriter writer_;
};

TEST_F(SavedOnlineThresholdsTest, GoesOnAsIfNothingHappened) {
  auto loaded = Load(kParams, writer_.bytes());
  ASSERT_TRUE(loaded);
  EXPECT_EQ(loaded->plan(), ranks_->plan());
  testing::SeededRng rng_a(8);
  testing::SeededRng rng_b(8);
  for (int i = 0; i < 1000; ++i) {
    EXPECT_EQ(Ask(*ranks_, rng_a), Ask(*loaded, rng_b));
  }
  EXPECT_EQ(loaded->queries(), 1500U);
  EXPECT_EQ(loaded->ErrorBound(), ranks_->ErrorBound());
}

TEST_F(SavedOnlineThresholdsTest, IsRefusedForOtherParameters) {
  Params other = kParams;
  other.horizon = 4000;
  EXPECT_EQ(Load(other, writer_.bytes()).error().code,
            ErrorCode::kFailedPrecondition);
}

TEST_F(SavedOnlineThresholdsTest, IsRefusedWhereverItIsCut) {
  const std::string_view bytes = writer_.bytes();
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{30}, std::size_t{100}, bytes.size() - 1}) {
    EXPECT_FALSE(Load(kParams, bytes.substr(0, size)));
  }
}

// Largest error of n = T = 100,000 queries at (1, 1e-6), one run each with a
// fixed seed; the benchmark has the distribution (mean below 330). Each
// answer's own bound may fail with probability failure: 1e-6 here.
TEST(OnlineThresholdsStatisticalTest, NoOrderOfQueriesIsOffByMoreThan650) {
  constexpr int kSize = 100'000;
  for (const int order : {0, 1, 2}) {
    testing::SeededRng rng(static_cast<std::uint64_t>(order) + 50);
    auto ranks = OnlineThresholds::Create(
        {.epsilon = 1, .delta = 1e-6, .horizon = kSize, .failure = 1e-6},
        Ramp(kSize), rng);
    ASSERT_TRUE(ranks);
    std::int64_t worst = 0;
    for (int i = 0; i < kSize; ++i) {
      const std::int64_t orders[] = {
          static_cast<std::int64_t>(rng.Next() % kSize), i, kSize - 1 - i};
      const std::int64_t x = orders[order];
      const auto answer = ranks->Query(static_cast<double>(x), rng);
      ASSERT_TRUE(answer);
      worst = std::max(worst, std::abs(answer->estimate - x));
      ASSERT_LE(std::abs(answer->estimate - x), answer->error);
    }
    EXPECT_LE(worst, 650);
  }
}

}  // namespace
}  // namespace sotto
