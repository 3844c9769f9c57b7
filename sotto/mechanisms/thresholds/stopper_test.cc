#include "sotto/mechanisms/thresholds/stopper.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

#include "sotto/mechanisms/thresholds/laplace_stopper.h"
#include "sotto/mechanisms/thresholds/sparse_vector_calibration.h"
#include "sotto/testing/distributions/stopper.h"
#include "sotto/testing/exact_game.h"
#include "sotto/testing/exact_number.h"
#include "sotto/testing/seeded_rng.h"
#include "sotto/testing/statistics.h"

namespace sotto {
namespace {

using Exact = ExactNumber;
using Distribution = StopperDistribution<Exact>;

void ExpectExactRatioIsItsEpsilon(int rounds) {
  for (const Exact& theta : {Exact(1) / 2, Exact(4) / 5}) {
    for (const int limit : {1, 2}) {
      const ExactGame game(Distribution{.theta = theta, .limit = limit},
                           rounds);
      for (const auto direction : {Direction::kPOverQ, Direction::kQOverP}) {
        EXPECT_EQ(**game.MaxRatio(direction), 1 / theta);
      }
      EXPECT_EQ(*game.Delta(1 / theta), 0);
    }
  }
}

TEST(StopperTest, ExactRatioIsItsEpsilonInBothDirections) {
  ExpectExactRatioIsItsEpsilon(3);
}

// Too slow under the sanitizers.
TEST(StopperStatisticalTest, ExactRatioIsItsEpsilonInLongerGames) {
  ExpectExactRatioIsItsEpsilon(4);
}

TEST(StopperTest, AnAllowanceThatGrowsInPublicCostsNothing) {
  for (const int allowance : {1, 2}) {
    const ExactGame game(
        Distribution{.theta = Exact(1) / 2, .limit = 2, .allowance = allowance},
        3);
    for (const auto direction : {Direction::kPOverQ, Direction::kQOverP}) {
      EXPECT_EQ(**game.MaxRatio(direction), Exact(2));
    }
    EXPECT_EQ(*game.Delta(Exact(2)), 0);
  }
}

TEST(StopperTest, AnAllowanceThatRightAnswersRaiseIsNotPrivate) {
  const ExactGame game(
      Distribution{.theta = Exact(1) / 2, .limit = 1, .paid_back = true}, 3);
  EXPECT_GT(*game.Delta(Exact(2)), 0);
  EXPECT_EQ(**game.MaxRatio(Direction::kPOverQ), Exact(4));
}

TEST(StopperTest, ACheckWithAnAllowanceHaltsSoMuchLater) {
  auto stopper = Stopper::Create({.epsilon = 16, .limit = 5});
  ASSERT_TRUE(stopper);
  testing::SeededRng rng(1);
  stopper->Begin(rng);
  EXPECT_FALSE(stopper->TickDrawn(30, 0, 100));
  EXPECT_FALSE(stopper->TickDrawn(60, 0, 100));
  EXPECT_TRUE(stopper->TickDrawn(60, 0, 100));
}

TEST(StopperTest, CheckedOnlyAfterCountedRoundsItIsNotPrivate) {
  const ExactGame game(
      Distribution{.theta = Exact(1) / 2,
                   .limit = 2,
                   .clock = Distribution::Clock::kAfterCountedRounds},
      4);
  EXPECT_FALSE(*game.MaxRatio(Direction::kPOverQ));
  EXPECT_GT(*game.Delta(Exact(2)), Exact(1) / 3);
}

TEST(StopperTest, WithoutFreshNoiseItIsNotPrivate) {
  const ExactGame game(
      Distribution{.theta = Exact(1) / 2, .limit = 2, .fresh_noise = false}, 4);
  EXPECT_GT(*game.Delta(Exact(2)), Exact(1) / 3);
}

TEST(StopperTest, AnAbsentUserWhoseRoundIsNotCheckedIsSeen) {
  const ExactGame game(
      Distribution{.theta = Exact(1) / 2,
                   .clock = Distribution::Clock::kPresentRounds},
      3);
  EXPECT_GT(*game.Delta(Exact(2)), Exact(1) / 4);
}

TEST(StopperTest, SlackIsAtMostWhatIsPromised) {
  const auto stopper = Stopper::Create({.epsilon = 0.1, .limit = 1000});
  ASSERT_TRUE(stopper);
  EXPECT_LE(stopper->EarlySlack(100'000, 0.05), 145);      // ln(T/b)/e_s
  EXPECT_LE(stopper->EarlySlack(100'000'000, 0.05), 215);  // ln(T/b)/e_s
  EXPECT_EQ(stopper->LateSlack(1e-7), 161);
  EXPECT_LE(std::exp(-0.1 * 162), 1e-7);
  EXPECT_EQ(stopper->guarantee().epsilon(), 0.1);
  EXPECT_EQ(stopper->guarantee().delta(), SamplerSlack(0.1));
}

TEST(StopperTest, RejectsParametersOutsideTheContract) {
  for (const Stopper::Params& bad :
       {Stopper::Params{.epsilon = 0},
        {.epsilon = NAN},
        {.epsilon = 17},
        {.epsilon = 1, .limit = std::int64_t{1} << 60}}) {
    const auto stopper = Stopper::Create(bad);
    ASSERT_FALSE(stopper);
    EXPECT_EQ(stopper.error().code, ErrorCode::kInvalidArgument);
  }
}

TEST(StopperTest, HaltsForEverAndSurvivesSaving) {
  const Stopper::Params params{.epsilon = 0.5, .limit = 40};
  testing::SeededRng rng(2);
  auto stopper = Stopper::Create(params);
  ASSERT_TRUE(stopper);
  for (int i = 0; i < 10; ++i) stopper->Advance(1, rng);
  ASSERT_FALSE(stopper->halted());
  ByteWriter writer;
  stopper->Save(writer);
  ByteReader reader(writer.bytes());
  auto loaded = Stopper::Load(params, reader);
  ASSERT_TRUE(loaded);
  EXPECT_TRUE(reader.Finish());
  testing::SeededRng rng_a(3);
  testing::SeededRng rng_b(3);
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(stopper->Advance(1, rng_a), loaded->Advance(1, rng_b));
  }
  EXPECT_TRUE(loaded->halted());
  EXPECT_TRUE(loaded->Advance(0, rng_b));
  EXPECT_TRUE(stopper->Advance(4'000'000'000, rng_a));

  ByteReader again(writer.bytes());
  EXPECT_EQ(Stopper::Load({.epsilon = 0.5, .limit = 41}, again).error().code,
            ErrorCode::kFailedPrecondition);
  ByteReader cut(std::string_view(writer.bytes()).substr(0, 45));
  EXPECT_EQ(Stopper::Load(params, cut).error().code, ErrorCode::kCorruption);
}

// The round of the halt against StopperSurvival, on which StopperDistribution
// rests; alpha = 1e-6.
TEST(StopperStatisticalTest, HaltsFollowTheCheckedDistribution) {
  constexpr int kTrials = 200'000;
  const double epsilon = 0.5;
  const std::array<std::uint32_t, 5> added = {1, 0, 1, 1, 0};
  testing::SeededRng rng(11);
  std::array<std::uint64_t, 6> counts{};
  const auto fresh = Stopper::Create({.epsilon = epsilon, .limit = 3});
  ASSERT_TRUE(fresh);
  for (int trial = 0; trial < kTrials; ++trial) {
    Stopper stopper = *fresh;
    std::size_t tick = 0;
    while (tick < added.size() && !stopper.Advance(added[tick], rng)) ++tick;
    ++counts[tick];
  }
  std::array<double, 6> probabilities{};
  std::vector<int> checked;
  double before = 1;
  int count = 0;
  for (std::size_t tick = 0; tick < added.size(); ++tick) {
    count += static_cast<int>(added[tick]);
    checked.push_back(count);
    const double after = StopperSurvival(std::exp(-epsilon), 3, checked);
    probabilities[tick] = before - after;
    before = after;
  }
  probabilities[5] = before;
  EXPECT_GT(ChiSquaredPValue(counts, probabilities), 1e-6);
}

TEST(StopperStatisticalTest, HaltsNeitherEarlyNorLate) {
  constexpr int kRuns = 2000;
  constexpr int kChecks = 300;
  testing::SeededRng rng(12);
  int early = 0;
  int late = 0;
  const auto fresh = Stopper::Create({.epsilon = 0.3, .limit = 1000});
  ASSERT_TRUE(fresh);
  const auto low =
      static_cast<std::uint32_t>(1000 - fresh->EarlySlack(kChecks, 0.05));
  const auto high = static_cast<std::uint32_t>(1000 + fresh->LateSlack(0.05));
  for (int run = 0; run < kRuns; ++run) {
    Stopper stopper = *fresh;
    stopper.Advance(low, rng);
    for (int i = 1; i < kChecks; ++i) stopper.Advance(0, rng);
    early += stopper.halted() ? 1 : 0;
    Stopper other = *fresh;
    late += other.Advance(high, rng) ? 0 : 1;
  }
  EXPECT_LE(ClopperPearsonLower(static_cast<std::uint64_t>(early), kRuns, 1e-6),
            0.05);
  EXPECT_LE(ClopperPearsonLower(static_cast<std::uint64_t>(late), kRuns, 1e-6),
            0.05);
}

TEST(LaplaceStopperTest, IsPrivateAsPrintedAndNeedsAHundredTimesTheSlack) {
  const auto printed =
      LaplaceStopper::Create({.epsilon = 0.1, .delta = 1e-6, .limit = 1000});
  const auto ours = Stopper::Create({.epsilon = 0.1, .limit = 1000});
  ASSERT_TRUE(printed && ours);
  EXPECT_NEAR(1 / printed->rate(), 80 * std::log(2e6), 1e-6);
  EXPECT_GT(printed->EarlySlack(100'000, 0.05),
            100 * ours->EarlySlack(100'000, 0.05));
}

// Algorithm 2: a bit is added, then the count plus Lap((8/epsilon) ln(2/delta))
// is compared with t.
TEST(LaplaceStopperTest, HaltsAsTheLinesOfThePaper) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    auto stopper =
        LaplaceStopper::Create({.epsilon = 1, .delta = 1e-6, .limit = 5000});
    ASSERT_TRUE(stopper);
    const auto laplace =
        FixedWorkLaplace::Create(ExactRate(1 / (8 * std::log(2 / 1e-6))));
    ASSERT_TRUE(laplace);
    testing::SeededRng here(seed);
    testing::SeededRng there(seed);
    std::int64_t count = 0;
    bool halted = false;
    for (std::uint32_t i = 0; i < 5000 && !halted; ++i) {
      const std::uint32_t x = i % 3 == 0 ? 0 : 1;
      count += x;
      halted = count + laplace->Sample(there) >= 5000;
      ASSERT_EQ(stopper->Advance(x, here), halted) << i;
    }
    EXPECT_EQ(here.Next(), there.Next());
  }
}

TEST(LaplaceStopperTest, HaltsForEverAndSurvivesSaving) {
  const LaplaceStopper::Params params{
      .epsilon = 1, .delta = 1e-3, .limit = 400};
  testing::SeededRng rng(2);
  auto stopper = LaplaceStopper::Create(params);
  ASSERT_TRUE(stopper);
  EXPECT_FALSE(stopper->Advance(1, rng));
  ByteWriter writer;
  stopper->Save(writer);
  ByteReader reader(writer.bytes());
  auto loaded = LaplaceStopper::Load(params, reader);
  ASSERT_TRUE(loaded);
  EXPECT_TRUE(reader.Finish());
  testing::SeededRng rng_a(3);
  testing::SeededRng rng_b(3);
  for (int i = 0; i < 400; ++i) {
    EXPECT_EQ(stopper->Advance(3, rng_a), loaded->Advance(3, rng_b));
  }
  EXPECT_TRUE(loaded->Advance(0, rng_b));
  ByteReader again(writer.bytes());
  EXPECT_EQ(
      LaplaceStopper::Load({.epsilon = 1, .delta = 1e-3, .limit = 1}, again)
          .error()
          .code,
      ErrorCode::kFailedPrecondition);
  EXPECT_FALSE(LaplaceStopper::Create({.epsilon = 1, .delta = 0}));
}

}  // namespace
}  // namespace sotto
