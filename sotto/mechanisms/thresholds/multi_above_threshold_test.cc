#include "sotto/mechanisms/thresholds/multi_above_threshold.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "sotto/mechanisms/thresholds/sparse_vector_calibration.h"
#include "sotto/testing/distributions/discrete_laplace.h"
#include "sotto/testing/distributions/sparse_vector.h"
#include "sotto/testing/exact_game.h"
#include "sotto/testing/seeded_rng.h"
#include "sotto/testing/statistics.h"

namespace sotto {
namespace {

using Answer = MultiAboveThreshold::Answer;
using Params = MultiAboveThreshold::Params;

TEST(MultiAboveThresholdTest, UsesTheNoiseThatIsPromised) {
  for (const auto& [reports, most] :
       {std::pair(1, 16.2), {10, 28.9}, {100, 69.8}, {1000, 199.5}}) {
    const auto test = MultiAboveThreshold::Create(
        {.epsilon = 1, .delta = 1e-6, .reports = reports});
    ASSERT_TRUE(test);
    EXPECT_LE(1 / test->rate(), most);
    EXPECT_EQ(test->guarantee().epsilon(), 1);
    EXPECT_EQ(test->guarantee().delta(), 1e-6);
  }
}

// Ten seconds under the sanitizers.
TEST(MultiAboveThresholdStatisticalTest, UsesTheNoiseThatIsPromisedFor10000) {
  const auto test = MultiAboveThreshold::Create(
      {.epsilon = 1, .delta = 1e-6, .reports = 10'000});
  ASSERT_TRUE(test);
  EXPECT_LE(1 / test->rate(), 612);
}

double Worst(double rate, int reports, int rounds, double epsilon) {
  const SparseVectorDistribution<double> distribution{
      .query_theta = std::exp(-rate), .reports = reports};
  return *ExactGame(distribution, rounds).Delta(std::exp(epsilon));
}

void ExpectExactGameStaysBelowTheGuarantee(int most_reports, int rounds) {
  for (int reports = 1; reports <= most_reports; ++reports) {
    const auto test = MultiAboveThreshold::Create(
        {.epsilon = 0.7, .reports = reports, .rate = 0.25});
    ASSERT_TRUE(test);
    const double delta = test->guarantee().delta();
    const double worst = Worst(test->rate(), reports, rounds, 0.7);
    EXPECT_LE(worst, delta);
    EXPECT_GT(worst, 0.5 * delta);
    // Broken variants: one report more than paid; a sixth less noise.
    EXPECT_GT(Worst(test->rate(), reports + 1, rounds, 0.7), delta);
    EXPECT_GT(Worst(1.2 * test->rate(), reports, rounds, 0.7), delta);
  }
}

TEST(MultiAboveThresholdTest, ExactGameStaysBelowTheGuarantee) {
  ExpectExactGameStaysBelowTheGuarantee(1, 12);
}

// Too slow under the sanitizers.
TEST(MultiAboveThresholdStatisticalTest, ExactGameStaysBelowTheGuarantee) {
  ExpectExactGameStaysBelowTheGuarantee(3, 18);
}

TEST(MultiAboveThresholdTest, RejectsParametersOutsideTheContract) {
  for (const Params& bad :
       {Params{.epsilon = 0, .delta = 1e-6}, Params{.epsilon = 1},
        Params{.epsilon = 1, .delta = 1}, Params{.epsilon = 1, .delta = 1e-15},
        Params{.epsilon = NAN, .delta = 1e-6},
        Params{.epsilon = 1, .delta = 1e-6, .reports = 0},
        Params{.epsilon = 1, .delta = 1e-6, .threshold = -kQueryLimit - 1},
        Params{.epsilon = 1, .delta = 1e-6, .rate = -1},
        Params{.epsilon = 1, .delta = 1e-6, .rate = 65}}) {
    const auto test = MultiAboveThreshold::Create(bad);
    ASSERT_FALSE(test) << bad.epsilon << " " << bad.delta;
    EXPECT_EQ(test.error().code, ErrorCode::kInvalidArgument);
  }
  const auto dear =
      MultiAboveThreshold::Create({.epsilon = 1, .delta = 1e-6, .rate = 0.1});
  ASSERT_FALSE(dear);
  EXPECT_EQ(dear.error().code, ErrorCode::kBudgetExhausted);
}

// Printed lines: [Littlestone] Alg. 2: which answers are charged.
TEST(MultiAboveThresholdTest, HaltsAfterItsReportsOfTheChargedKind) {
  testing::SeededRng rng(1);
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  for (const bool mirrored : {false, true}) {
    auto test = MultiAboveThreshold::Create(
        {.epsilon = 1,
         .delta = 1e-6,
         .reports = 2,
         .charge = mirrored ? Charge::kBelow : Charge::kAbove});
    ASSERT_TRUE(test);
    const std::int64_t paid = mirrored ? -kMost : kMost;
    const Answer charged = mirrored ? Answer::kBelow : Answer::kAbove;
    EXPECT_EQ(test->Test(paid, rng), charged);
    for (int i = 0; i < 20; ++i) EXPECT_NE(test->Test(-paid, rng), charged);
    EXPECT_EQ(test->reports_left(), 1);
    EXPECT_EQ(test->Test(paid, rng), charged);
    EXPECT_TRUE(test->halted());
    EXPECT_EQ(test->Test(paid, rng), Answer::kHalted);
  }
}

// The class is "value + the sampler's next draw >= threshold" and nothing
// else, draw by draw.
// Printed lines: [POP] Alg. 1: draw by draw.
TEST(MultiAboveThresholdTest, AddsTheSamplersDrawsToTheQueries) {
  testing::SeededRng rng(4);
  testing::SeededRng same(4);
  auto test = MultiAboveThreshold::Create(
      {.epsilon = 1, .delta = 1e-6, .threshold = 7, .reports = 1000});
  ASSERT_TRUE(test);
  const auto noise = FixedWorkLaplace::Create(ExactRate(test->rate()));
  for (std::int64_t value = -300; value < 300; ++value) {
    const bool above = value + noise->Sample(same) >= 7;
    EXPECT_EQ(test->Test(value, rng) == Answer::kAbove, above);
  }
}

TEST(MultiAboveThresholdTest, BatchesAndStreamsHaltLikeSingleTests) {
  testing::SeededRng rng(4);
  const Params params{.epsilon = 1, .delta = 1e-6, .reports = 7};
  auto batch = MultiAboveThreshold::Create(params);
  auto single = MultiAboveThreshold::Create(params);
  ASSERT_TRUE(batch && single);
  const std::vector<std::int64_t> values(600, 0);
  std::vector<Answer> answers(600);
  batch->TestBatch(values, answers, rng);
  EXPECT_EQ(std::count(answers.begin(), answers.end(), Answer::kAbove), 7);
  EXPECT_EQ(answers.back(), Answer::kHalted);
  EXPECT_TRUE(batch->halted());
  int above = 0;
  ThresholdStream stream(*single, rng);
  for (int i = 0; i < 600; ++i) above += stream.Test(0) == Answer::kAbove;
  EXPECT_EQ(above, 7);
  EXPECT_TRUE(single->halted());
}

TEST(MultiAboveThresholdTest, ASavedTestGoesOnAsIfNothingHappened) {
  const Params params{.epsilon = 1, .delta = 1e-6, .reports = 30};
  testing::SeededRng rng(9);
  auto test = MultiAboveThreshold::Create(params);
  ASSERT_TRUE(test);
  for (int i = 0; i < 10; ++i) test->Test(0, rng);
  ByteWriter writer;
  test->Save(writer);
  ByteReader reader(writer.bytes());
  auto loaded = MultiAboveThreshold::Load(params, reader);
  ASSERT_TRUE(loaded);
  EXPECT_TRUE(reader.Finish());
  EXPECT_EQ(loaded->rate(), test->rate());
  testing::SeededRng rng_a(10);
  testing::SeededRng rng_b(10);
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(test->Test(0, rng_a), loaded->Test(0, rng_b));
  }
  EXPECT_TRUE(loaded->halted());

  Params other = params;
  other.charge = Charge::kBelow;
  ByteReader again(writer.bytes());
  EXPECT_EQ(MultiAboveThreshold::Load(other, again).error().code,
            ErrorCode::kFailedPrecondition);
  other = params;
  other.delta = 1e-7;
  ByteReader cheap(writer.bytes());
  EXPECT_EQ(MultiAboveThreshold::Load(other, cheap).error().code,
            ErrorCode::kBudgetExhausted);
  ByteReader cut(std::string_view(writer.bytes()).substr(0, 50));
  EXPECT_EQ(MultiAboveThreshold::Load(params, cut).error().code,
            ErrorCode::kCorruption);
}

// By single tests and in batches, Pr[above] is what SparseVectorDistribution
// gives. alpha = 1e-6 each.
TEST(MultiAboveThresholdStatisticalTest, AnswersFollowTheCheckedDistribution) {
  constexpr std::size_t kTrials = 100'000;
  testing::SeededRng rng(77);
  const DiscreteLaplaceDistribution<double> distribution(std::exp(-0.3));
  const auto test = MultiAboveThreshold::Create(
      {.epsilon = 3, .threshold = 1, .reports = 1, .rate = 0.3});
  ASSERT_TRUE(test);
  for (const int value : {-3, 0, 1, 4}) {
    const double above = distribution.AtLeast(1 - value);
    std::array<std::uint64_t, 2> single{};
    std::array<std::uint64_t, 2> batched{};
    for (std::size_t i = 0; i < kTrials; ++i) {
      auto first = *test;
      ++single[first.Test(value, rng) == Answer::kAbove ? 1 : 0];
      auto second = *test;
      const std::array<std::int64_t, 1> values = {value};
      std::array<Answer, 1> answers{};
      second.TestBatch(values, answers, rng);
      ++batched[answers[0] == Answer::kAbove ? 1 : 0];
    }
    const std::array probabilities = {1 - above, above};
    EXPECT_GT(ChiSquaredPValue(single, probabilities), 1e-6);
    EXPECT_GT(ChiSquaredPValue(batched, probabilities), 1e-6);
  }
}

}  // namespace
}  // namespace sotto
