#include "sotto/mechanisms/thresholds/challenge_between_thresholds.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <compare>
#include <cstddef>
#include <utility>
#include <variant>
#include <vector>

#include "sotto/mechanisms/thresholds/challenge_above_threshold.h"
#include "sotto/mechanisms/thresholds/sparse_vector_calibration.h"
#include "sotto/testing/distributions/discrete_laplace.h"
#include "sotto/testing/distributions/stopper.h"
#include "sotto/testing/exact_game.h"
#include "sotto/testing/seeded_rng.h"
#include "sotto/testing/statistics.h"

namespace sotto {
namespace {

// Both Challenge tests with everything an adversary may do: queries that are v
// in one world and v + 1 in the other, before and after the hidden round;
// rounds whose outcome he sets; one hidden round whose outcome is any bit in
// either world. Every round ends with a check, whose result he sees, as he sees
// all outcomes but the hidden one. Thresholds 0 and gap + 1; gap = 0 stands for
// ChallengeAboveThreshold with the threshold 1.
struct HiddenRoundDistribution {
  using Number = double;
  using State = std::monostate;
  using Observation = std::pair<int, bool>;  // Clamped value, halted.
  enum class Kind { kQuery, kFlag, kHidden };
  enum class Halt { kStopper, kExactCount, kStopperAfterCharges };
  struct Move {
    Kind kind;
    int p;
    int q;
  };
  struct Context {
    bool halted = false;
    bool challenged = false;
    int count = 0;                            // Visible charges.
    std::array<int, 2> hidden = {0, 0};       // By world.
    std::array<std::vector<int>, 2> checked;  // Counts at the checks passed.
    // NOLINTNEXTLINE(modernize-use-nullptr)
    auto operator<=>(const Context&) const = default;
  };

  double theta;
  int gap;
  double stopper_theta;
  int limit;
  Halt halt = Halt::kStopper;

  Context Start() const { return {}; }
  std::vector<Weighted<Number, State>> Initial(World) const {
    return {{1, {}}};
  }
  std::vector<Move> Moves(const Context& context) const {
    if (context.halted) return {};
    std::vector<Move> moves = {{Kind::kFlag, 0, 0}, {Kind::kFlag, 1, 1}};
    for (int v = 0; v <= gap; ++v) {
      moves.push_back({Kind::kQuery, v, v + 1});
      moves.push_back({Kind::kQuery, v + 1, v});
    }
    if (context.challenged) return moves;
    for (const int p : {0, 1}) {
      for (const int q : {0, 1}) moves.push_back({Kind::kHidden, p, q});
    }
    return moves;
  }
  std::vector<Outcome<Number, Observation, State>> Step(
      World world, const Context& context, const State&,
      const Move& move) const {
    const auto w = static_cast<std::size_t>(world);
    const int input = world == World::kP ? move.p : move.q;
    std::vector<Outcome<Number, Observation, State>> outcomes;
    const auto add = [&](double weight, int seen, bool charged) {
      const double stays = Survives(w, context, charged);
      outcomes.push_back({weight * stays, {seen, false}, {}});
      outcomes.push_back({weight * (1 - stays), {seen, true}, {}});
    };
    if (move.kind != Kind::kQuery) {
      add(1, move.kind == Kind::kHidden ? -1 : input, input == 1);
      return outcomes;
    }
    const DiscreteLaplaceDistribution<double> noise(theta);
    for (int n = 0; n <= gap + 1; ++n) {
      add(noise.ClampedMass(input, n, 0, gap + 1), n, Charged(n));
    }
    return outcomes;
  }
  Context Next(const Context& context, const Move& move,
               const Observation& seen) const {
    Context next = context;
    next.halted = seen.second;
    if (move.kind == Kind::kHidden) {
      next.challenged = true;
      next.hidden = {move.p, move.q};
    } else if (move.kind == Kind::kFlag) {
      next.count += seen.first;
    } else {
      next.count += Charged(seen.first) ? 1 : 0;
    }
    for (std::size_t w = 0; w < 2; ++w) {
      const bool hidden_charge = move.kind == Kind::kHidden && next.hidden[w];
      if (halt == Halt::kStopperAfterCharges && !hidden_charge &&
          next.count == context.count) {
        continue;
      }
      next.checked[w].push_back(next.count + next.hidden[w]);
    }
    return next;
  }

 private:
  bool Charged(int n) const { return n > 0 && (gap == 0 || n <= gap); }

  double Survives(std::size_t w, const Context& context, bool charged) const {
    const int count = context.count + context.hidden[w] + (charged ? 1 : 0);
    if (halt == Halt::kExactCount) return count >= limit ? 0 : 1;
    if (halt == Halt::kStopperAfterCharges && !charged) return 1;
    std::vector<int> counts = context.checked[w];
    const double before = StopperSurvival(stopper_theta, limit, counts);
    counts.push_back(count);
    return StopperSurvival(stopper_theta, limit, counts) / before;
  }
};

struct Setting {
  double rate;
  int gap;  // 0: AboveThreshold
  int limit;
  double stopper;
  double epsilon;
};

constexpr std::array kSettings = {
    Setting{.5, 1, 1, 1, 1.5}, Setting{.3, 2, 1, 2, 2.2},
    Setting{.2, 1, 2, 1, 1.2}, Setting{.5, 0, 1, 1, 1.5},
    Setting{.3, 0, 2, 1, 1.2}, Setting{.8, 0, 1, 2, 3.5},
};

HiddenRoundDistribution ComputeDistribution(const Setting& s) {
  return {.theta = std::exp(-s.rate),
          .gap = s.gap,
          .stopper_theta = std::exp(-s.stopper),
          .limit = s.limit};
}

double Worst(const HiddenRoundDistribution& distribution, double epsilon,
             int rounds = 3) {
  return *ExactGame(distribution, rounds).Delta(std::exp(epsilon));
}

double Claim(const Setting& s) {
  const std::int64_t gap =
      s.gap == 0 ? ChallengeTarget::kAboveThreshold : s.gap;
  return *ChallengeDelta({s.rate, s.stopper, s.limit}, gap, s.epsilon);
}

TEST(ChallengeBetweenThresholdsTest, ExactGameStaysBelowTheGuarantee) {
  for (const Setting& s : kSettings) {
    EXPECT_LE(Worst(ComputeDistribution(s), s.epsilon), Claim(s))
        << s.rate << " " << s.gap;
  }
}

// More rounds; too slow under the sanitizers.
TEST(ChallengeBetweenThresholdsStatisticalTest,
     ExactGameStaysBelowTheGuarantee) {
  for (const Setting& s : kSettings) {
    const double claim = Claim(s);
    const double worst =
        Worst(ComputeDistribution(s), s.epsilon, s.gap > 1 ? 4 : 5);
    EXPECT_LT(claim, 1);
    EXPECT_LE(worst, claim) << s.rate << " " << s.gap;
    EXPECT_GT(worst, 0);
  }
}

TEST(ChallengeBetweenThresholdsTest, HaltingOnTheExactCountIsRefuted) {
  for (const Setting& s : kSettings) {
    HiddenRoundDistribution distribution = ComputeDistribution(s);
    distribution.halt = HiddenRoundDistribution::Halt::kExactCount;
    EXPECT_GT(Worst(distribution, s.epsilon), Claim(s));
    // The hidden round alone tells: it halts or not.
    EXPECT_NEAR(Worst(distribution, 16), 1, 1e-12);
  }
}

TEST(ChallengeBetweenThresholdsTest, CheckingOnlyAfterChargesIsRefuted) {
  // Halting in the hidden round is then certain proof of a charge.
  HiddenRoundDistribution distribution = ComputeDistribution(kSettings[0]);
  distribution.halt = HiddenRoundDistribution::Halt::kStopperAfterCharges;
  EXPECT_GT(Worst(distribution, 16), 0.3);
  EXPECT_LT(Worst(ComputeDistribution(kSettings[0]), 16), 1e-6);
}

TEST(ChallengeBetweenThresholdsTest, TheStopperCostsNoLessThanIsCharged) {
  // With so much noise on the queries, what is left is the Stopper.
  const Setting s{
      .rate = 0x1p-8, .gap = 0, .limit = 1, .stopper = 1, .epsilon = 0.9};
  const double worst = Worst(ComputeDistribution(s), 0.9);
  EXPECT_LE(worst, Claim(s));
  EXPECT_GT(worst, 0.02);
}

TEST(ChallengeBetweenThresholdsTest, MeetsItsTargetAndServesItsReports) {
  for (const std::int64_t reports : {1, 30}) {
    const ChallengeBetweenThresholds::Params params{
        .epsilon = 1, .delta = 1e-6, .low = 0, .high = 200, .reports = reports};
    const auto test = ChallengeBetweenThresholds::Create(params);
    ASSERT_TRUE(test);
    EXPECT_LE(*ChallengeDelta(test->noise(), 199, 1), 1e-6);
    EXPECT_GE(test->noise().limit, reports);
    const auto stopper =
        Stopper::Create({.epsilon = test->noise().stopper_rate, .limit = 0});
    EXPECT_GT(test->noise().limit - reports,
              stopper->EarlySlack(1'000'000, 0.05) - 2);
    EXPECT_EQ(test->guarantee().notion(), Notion::kChallengeDp);
  }
}

TEST(ChallengeBetweenThresholdsTest, RejectsParametersOutsideTheContract) {
  using Params = ChallengeBetweenThresholds::Params;
  for (const Params& bad :
       {Params{.epsilon = 0, .delta = 1e-6, .low = 0, .high = 9},
        Params{.epsilon = 1, .delta = 0, .low = 0, .high = 9},
        Params{.epsilon = 1, .delta = 1e-6, .low = 0, .high = 1},
        Params{.epsilon = 1, .delta = 1e-6, .low = 0, .high = 9, .rounds = 0},
        Params{.epsilon = 1, .delta = 1e-6, .low = 0, .high = 9, .failure = 0},
        Params{.epsilon = 1,
        .delta = 1e-6,
        .low = 0,
        .high = 9,
        .noise = {.rate = 0.1}},
        Params{.epsilon = 1,
        .delta = 1e-6,
        .low = 0,
        .high = 9,
        .noise = {0.1, 0.1, 0}}}) {
    const auto test = ChallengeBetweenThresholds::Create(bad);
    ASSERT_FALSE(test) << bad.epsilon << " " << bad.high;
    EXPECT_EQ(test.error().code, ErrorCode::kInvalidArgument);
  }
  const auto dear = ChallengeAboveThreshold::Create(
      {.epsilon = 1, .delta = 1e-6, .noise = {0.1, 0.2, 5}});
  ASSERT_FALSE(dear);
  EXPECT_EQ(dear.error().code, ErrorCode::kBudgetExhausted);
}

constexpr ChallengeNoise kSmallNoise{
    .rate = 0.5, .stopper_rate = 0.5, .limit = 12};

TEST(ChallengeBetweenThresholdsTest, IsItsTwoPartsOnOneStream) {
  testing::SeededRng rng(8);
  testing::SeededRng same(8);
  auto test = ChallengeBetweenThresholds::Create(
      {.epsilon = 12, .low = 0, .high = 4, .noise = kSmallNoise});
  auto stopper = Stopper::Create({.epsilon = 0.5, .limit = 12});
  const auto noise = FixedWorkLaplace::Create(*Rational::Create(1, 2));
  ASSERT_TRUE(test && stopper && noise);
  for (int i = 0; i < 200; ++i) {
    const bool halted = stopper->halted();
    const std::int64_t noisy = halted ? 0 : i % 5 + noise->Sample(same);
    const bool medium = noisy > 0 && noisy < 4;
    if (!halted) stopper->Advance(medium ? 1 : 0, same);
    const auto answer = test->Test(i % 5, rng);
    using Zone = ChallengeBetweenThresholds::Zone;
    EXPECT_EQ(answer.zone == Zone::kHalted, halted);
    EXPECT_EQ(answer.zone == Zone::kMedium, medium && !halted);
    EXPECT_EQ(answer.noisy, medium && !halted ? noisy : 0);
    EXPECT_EQ(test->halted(), stopper->halted());
  }
  EXPECT_TRUE(test->halted());
}

TEST(ChallengeBetweenThresholdsTest, AnAbsentUserTakesARound) {
  testing::SeededRng rng(8);
  testing::SeededRng same(8);
  auto present = ChallengeBetweenThresholds::Create(
      {.epsilon = 12, .low = 0, .high = 4, .noise = kSmallNoise});
  auto absent = *present;
  // Far from the band a user is answered and not counted: as if absent.
  for (int i = 0; i < 50; ++i) {
    present->Test(-1'000'000, rng);
    absent.PlayEmptyRound(same);
    ASSERT_EQ(present->halted(), absent.halted());
  }
  EXPECT_EQ(rng.Next(), same.Next());
}

template <typename Test>
void ExpectSurvivesSaving(const typename Test::Params& params,
                          const typename Test::Params& other) {
  testing::SeededRng rng(9);
  auto test = Test::Create(params);
  ASSERT_TRUE(test);
  for (int i = 0; i < 3; ++i) test->Test(2, rng);
  ByteWriter writer;
  test->Save(writer);
  ByteReader reader(writer.bytes());
  auto loaded = Test::Load(params, reader);
  ASSERT_TRUE(loaded);
  EXPECT_TRUE(reader.Finish());
  testing::SeededRng rng_a(10);
  testing::SeededRng rng_b(10);
  for (int i = 0; i < 300; ++i) {
    EXPECT_EQ(test->Test(2, rng_a), loaded->Test(2, rng_b));
  }
  EXPECT_TRUE(loaded->halted());
  ByteReader again(writer.bytes());
  EXPECT_EQ(Test::Load(other, again).error().code,
            ErrorCode::kFailedPrecondition);
  for (const std::size_t cut : {60, 90}) {
    ByteReader bad(std::string_view(writer.bytes()).substr(0, cut));
    EXPECT_FALSE(Test::Load(params, bad));
  }
}

TEST(ChallengeBetweenThresholdsTest, ASavedTestGoesOnAsIfNothingHappened) {
  ExpectSurvivesSaving<ChallengeBetweenThresholds>(
      {.epsilon = 12, .low = 0, .high = 4, .noise = kSmallNoise},
      {.epsilon = 12, .low = 0, .high = 5, .noise = kSmallNoise});
}

TEST(ChallengeAboveThresholdTest, ASavedTestGoesOnAsIfNothingHappened) {
  ExpectSurvivesSaving<ChallengeAboveThreshold>(
      {.epsilon = 12, .threshold = 1, .noise = kSmallNoise},
      {.epsilon = 12, .threshold = 2, .noise = kSmallNoise});
}

TEST(ChallengeAboveThresholdTest, HaltsAroundItsLimitOfChargedAnswers) {
  for (const Charge charge : {Charge::kAbove, Charge::kBelow}) {
    testing::SeededRng rng(8);
    auto test = ChallengeAboveThreshold::Create(
        {.epsilon = 1, .delta = 1e-6, .reports = 20, .charge = charge});
    ASSERT_TRUE(test);
    const std::int64_t paid =
        charge == Charge::kAbove ? kQueryLimit : -kQueryLimit;
    for (int i = 0; i < 1000; ++i) {
      EXPECT_NE(test->Test(-paid, rng), ThresholdAnswer::kHalted);
    }
    int given = 0;
    while (!test->halted()) {
      test->Test(paid, rng);
      ++given;
    }
    EXPECT_GE(given, 20);
    EXPECT_LE(given, test->noise().limit + 200);
    EXPECT_EQ(test->Test(0, rng), ThresholdAnswer::kHalted);
  }
}

// Transcripts of two rounds (value in the band or which side, halted) against
// the distribution of the game; alpha = 1e-6.
TEST(ChallengeBetweenThresholdsStatisticalTest, FollowsTheCheckedDistribution) {
  constexpr int kTrials = 200'000;
  const ChallengeNoise noise{.rate = 0.5, .stopper_rate = 1, .limit = 1};
  const auto test = ChallengeBetweenThresholds::Create(
      {.epsilon = 6, .low = 0, .high = 2, .noise = noise});
  ASSERT_TRUE(test);
  const HiddenRoundDistribution distribution{.theta = std::exp(-0.5),
                                             .gap = 1,
                                             .stopper_theta = std::exp(-1.0),
                                             .limit = 1};
  const HiddenRoundDistribution::Move move{
      HiddenRoundDistribution::Kind::kQuery, 1, 1};
  std::vector<double> probabilities(36, 0);
  const auto index = [](const HiddenRoundDistribution::Observation& o) {
    return 2 * static_cast<std::size_t>(o.first) + (o.second ? 1 : 0);
  };
  for (const auto& one :
       distribution.Step(World::kP, distribution.Start(), {}, move)) {
    if (one.observation.second) {
      probabilities[6 * index(one.observation)] += one.probability;
      continue;
    }
    const auto context =
        distribution.Next(distribution.Start(), move, one.observation);
    for (const auto& two : distribution.Step(World::kP, context, {}, move)) {
      probabilities[6 * index(one.observation) + index(two.observation)] +=
          one.probability * two.probability;
    }
  }
  std::vector<std::uint64_t> counts(36, 0);
  testing::SeededRng rng(13);
  for (int trial = 0; trial < kTrials; ++trial) {
    auto copy = *test;
    const auto play = [&]() -> std::size_t {
      const auto answer = copy.Test(1, rng);
      const int seen = static_cast<int>(answer.zone);  // low, medium, high
      return index({seen, copy.halted()});
    };
    const std::size_t first = play();
    ++counts[6 * first + (copy.halted() ? 0 : play())];
  }
  EXPECT_GT(ChiSquaredPValue(counts, probabilities), 1e-6);
}

}  // namespace
}  // namespace sotto
