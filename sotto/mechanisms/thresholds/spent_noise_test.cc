// Threshold tests state what was asked for and spend it: noise that is 2 % less
// costs more, computed here from the numbers in use. What their clocks allow is
// exact.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "sotto/mechanisms/thresholds/asked_between_thresholds.h"
#include "sotto/mechanisms/thresholds/challenge_above_threshold.h"
#include "sotto/mechanisms/thresholds/challenge_between_thresholds.h"
#include "sotto/mechanisms/thresholds/laplace_stopper.h"
#include "sotto/mechanisms/thresholds/sparse_vector_calibration.h"
#include "sotto/mechanisms/thresholds/stopper.h"
#include "sotto/testing/saved_states.h"
#include "sotto/testing/seeded_rng.h"

namespace sotto {
namespace {

using testing::SeededRng;

constexpr double kEpsilon = 1;
constexpr double kDelta = 1e-6;
constexpr double kMore = 1.02;

// The Stopper's rate is one of a grid: the tests take up the rest.
void ExpectSpent(const ChallengeNoise& noise, const Guarantee& guarantee,
                 std::int64_t gap) {
  EXPECT_EQ(guarantee.epsilon(), kEpsilon);
  EXPECT_EQ(guarantee.delta(), kDelta);
  const auto cost = ChallengeDelta(noise, gap, kEpsilon);
  ASSERT_TRUE(cost);
  EXPECT_LE(*cost, kDelta);
  ChallengeNoise less = noise;
  less.rate *= kMore;
  const auto more = ChallengeDelta(less, gap, kEpsilon);
  ASSERT_TRUE(more);
  EXPECT_GT(*more, kDelta);
}

TEST(SpentNoiseTest, ChallengeTestsSpendTheirBudget) {
  const auto above = ChallengeAboveThreshold::Create(
      {.epsilon = kEpsilon, .delta = kDelta, .reports = 20, .rounds = 1000});
  ASSERT_TRUE(above);
  ExpectSpent(above->noise(), above->guarantee(),
              ChallengeTarget::kAboveThreshold);
  const auto between = ChallengeBetweenThresholds::Create({.epsilon = kEpsilon,
                                                           .delta = kDelta,
                                                           .low = 0,
                                                           .high = 401,
                                                           .reports = 20,
                                                           .rounds = 1000});
  ASSERT_TRUE(between);
  ExpectSpent(between->noise(), between->guarantee(), 400);
}

TEST(SpentNoiseTest, AskedTestsSpendTheirBudget) {
  using Kind = AskedBetweenThresholds::StopperKind;
  for (const Kind kind : {Kind::kLaplace, Kind::kOneSided}) {
    const auto test = AskedBetweenThresholds::Create({.epsilon = kEpsilon,
                                                      .delta = kDelta,
                                                      .low = 0,
                                                      .high = 401,
                                                      .reports = 20,
                                                      .stopper = kind});
    ASSERT_TRUE(test);
    EXPECT_EQ(test->guarantee().epsilon(), kEpsilon);
    EXPECT_LE(test->guarantee().delta(), kDelta);
    const auto& noise = test->noise();
    const auto cost = [&](double rate) {
      return *FreshNoiseDelta(rate, {.epsilon = kEpsilon,
                                     .reports = 20 + noise.late,
                                     .gap = 400}) +
             LateProbability(kind, noise.stopper_rate, noise.late);
    };
    EXPECT_LE(cost(noise.rate), kDelta);
    EXPECT_GT(cost(kMore * noise.rate), kDelta);
    if (kind == Kind::kLaplace) {
      EXPECT_GT(
          *FreshNoiseDelta(kMore * noise.stopper_rate, {.epsilon = kEpsilon}),
          kDelta);
    } else {
      EXPECT_GT(noise.stopper_rate, kEpsilon / kMore);
    }
    // The parts name the samplers that draw.
    const auto& parts = test->guarantee().spend().parts;
    ASSERT_EQ(parts.size(), 2U);
    EXPECT_EQ(parts[0].parts.at(0).noise->kind, SamplerKind::kLaplace);
    EXPECT_EQ(parts[1].parts.at(0).noise->kind, kind == Kind::kLaplace
                                                    ? SamplerKind::kLaplace
                                                    : SamplerKind::kGeometric);
  }
}

// k >= 4 ln(4/delta), k >= 8 / (3 epsilon) ln(2/delta) ln(T/delta), and a band
// of at least 32 / epsilon sqrt(k ln(4/delta)).
TEST(SpentNoiseTest, TheConditionsOfThePaperAreExact) {
  const auto created = [](double epsilon, std::uint64_t horizon,
                          std::int64_t reports, std::int64_t high) {
    return static_cast<bool>(
        AskedBetweenThresholds::Create({.epsilon = epsilon,
                                        .delta = kDelta,
                                        .low = 0,
                                        .high = high,
                                        .reports = reports,
                                        .printed = true,
                                        .horizon = horizon}));
  };
  const double log4 = std::log(4 / kDelta);
  const auto band = [&](double epsilon, std::int64_t reports) {
    const double gap =
        32 / epsilon * std::sqrt(static_cast<double>(reports) * log4);
    return static_cast<std::int64_t>(std::ceil(gap)) + 2;
  };
  for (const auto& [epsilon, horizon] :
       std::vector<std::pair<double, std::uint64_t>>{{1, 1000}, {16, 1}}) {
    const double least =
        std::max(4 * log4, 8 / (3 * epsilon) * std::log(2 / kDelta) *
                               std::log(static_cast<double>(horizon) / kDelta));
    const auto reports = static_cast<std::int64_t>(std::ceil(least));
    EXPECT_TRUE(created(epsilon, horizon, reports, band(epsilon, reports)));
    EXPECT_FALSE(created(epsilon, horizon, reports - 1, 100'000));
    EXPECT_FALSE(
        created(epsilon, horizon, reports, band(epsilon, reports) - 1));
  }
}

TEST(SpentNoiseTest, ALaplaceStopperStatesWhatItsRateCosts) {
  LaplaceStopper::Params params{
      .epsilon = kEpsilon, .delta = kDelta, .limit = 1000};
  const auto printed = LaplaceStopper::Create(params);
  ASSERT_TRUE(printed);
  EXPECT_EQ(printed->guarantee().epsilon(), kEpsilon);
  EXPECT_EQ(printed->guarantee().delta(), kDelta);
  // The largest rate within the target is accepted, a larger one is not.
  const auto largest = LargestRate({.epsilon = kEpsilon, .delta = kDelta});
  ASSERT_TRUE(largest);
  params.rate = *largest;
  EXPECT_TRUE(LaplaceStopper::Create(params));
  params.rate = kMore * *largest;
  const auto dear = LaplaceStopper::Create(params);
  ASSERT_FALSE(dear);
  EXPECT_EQ(dear.error().code, ErrorCode::kBudgetExhausted);
}

// The samplers' slack is proved for kMaxThresholdRounds rounds: a stopper that
// is there halts, whatever was counted, and no round earlier.
template <typename Stop>
void ExpectHaltsWithTheClock(const typename Stop::Params& params) {
  const auto stopper = Stop::Create(params);
  ASSERT_TRUE(stopper);
  std::string bytes = testing::SavedBytes(*stopper);
  ByteWriter ticks;
  ticks.Number(kMaxThresholdRounds - 2);
  bytes.replace(bytes.size() - 9, 8, ticks.bytes());
  ByteReader reader(bytes);
  auto loaded = Stop::Load(params, reader);
  ASSERT_TRUE(loaded) << loaded.error().message;
  SeededRng rng(1);
  EXPECT_FALSE(loaded->Advance(0, rng));
  EXPECT_TRUE(loaded->Advance(0, rng));
  EXPECT_TRUE(loaded->halted());
}

TEST(SpentNoiseTest, StoppersHaltWhenTheirProofEnds) {
  ExpectHaltsWithTheClock<Stopper>({.epsilon = 1, .limit = 1000});
  ExpectHaltsWithTheClock<LaplaceStopper>(
      {.epsilon = 1, .delta = kDelta, .limit = 100'000});
}

// Noise drawn ahead is what the sampler returns, one by one or many at once.
TEST(SpentNoiseTest, NoiseThatIsDrawnAheadIsTheSamplers) {
  const auto stopper = Stopper::Create({.epsilon = 0.25, .limit = 5});
  ASSERT_TRUE(stopper);
  const auto sampler = FixedWorkGeometric::Create(ExactRate(stopper->rate()));
  ASSERT_TRUE(sampler);
  SeededRng here(1);
  SeededRng there(1);
  for (const std::size_t size : {1, 64}) {
    std::vector<std::int64_t> drawn(size, -1);
    std::vector<std::int64_t> wanted(size, -1);
    stopper->DrawNoise(here, drawn);
    if (size == 1) {
      wanted[0] = sampler->Sample(there);
    } else {
      sampler->Fill(there, wanted);
    }
    EXPECT_EQ(drawn, wanted);
  }
  EXPECT_EQ(here.Next(), there.Next());
}

}  // namespace
}  // namespace sotto
