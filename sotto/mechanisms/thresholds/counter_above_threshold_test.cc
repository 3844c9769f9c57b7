#include "sotto/mechanisms/thresholds/counter_above_threshold.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <compare>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "sotto/accounting/pop_accountant.h"
#include "sotto/accounting/renyi.h"
#include "sotto/testing/distributions/discrete_laplace.h"
#include "sotto/testing/exact_game.h"
#include "sotto/testing/game_distribution.h"
#include "sotto/testing/seeded_rng.h"
#include "sotto/testing/statistics.h"

namespace sotto {
namespace {

using Counted = CounterAboveThreshold;
using Params = CounterAboveThreshold::Params;
using Noise = CounterAboveThreshold::Noise;

enum class Broken {
  kSound,
  kExactCount,  // halts by the true count
  kNoTick,      // empty rounds do not reach the counter
  kHiddenFree,  // the hidden answer is shown
};

// ChallengeAT with a counter of one level, whose estimate is a sum of noisy
// steps: the hidden state is that sum. The adversary's visible queries differ
// by at most 1 between the worlds, the hidden one by anything; kFar above, far
// below, or an empty round.
struct CounterGame {
  using Number = double;
  static constexpr int kFar = 100;
  static constexpr int kAbsent = -1000;
  static constexpr int kReach = 7;  // beyond: below 1e-9
  struct Move {
    int p = 0;
    int q = 0;
    bool hidden = false;
  };
  struct Context {
    int rounds = 0;
    bool used = false;
    bool halted = false;
    auto operator<=>(const Context&) const = default;
  };
  using State = std::array<int, 2>;  // the estimate so far, and its steps
  using Observation = int;           // 1: above; 2: halted; 4: hidden

  double test_theta = 0;
  double counter_theta = 0;
  int reports = 1;
  int horizon = 4;
  Broken variant = Broken::kSound;

  Context Start() const { return {}; }
  std::vector<Weighted<Number, State>> Initial(World) const {
    return {{1, {0, 0}}};
  }
  std::vector<Move> Moves(const Context& context) const {
    if (context.halted) return {};
    std::vector<Move> moves;
    for (int v = -1; v <= 1; ++v) {
      moves.push_back({v, v, false});
      moves.push_back({v, v + 1, false});
      moves.push_back({v + 1, v, false});
    }
    moves.push_back({-kFar, -kFar, false});
    if (context.used) return moves;
    moves.push_back({kFar, -kFar, true});
    moves.push_back({kFar, kAbsent, true});
    moves.push_back({-kFar, kAbsent, true});
    return moves;
  }
  std::vector<Outcome<Number, Observation, State>> Step(
      World world, const Context&, const State& state, const Move& move) const {
    const int value = world == World::kP ? move.p : move.q;
    const DiscreteLaplaceDistribution<double> noise(test_theta);
    const double above = value == kAbsent ? 0 : noise.AtLeast(-value);
    std::vector<Outcome<Number, Observation, State>> outcomes;
    const bool skipped = value == kAbsent && variant == Broken::kNoTick;
    for (const int bit : {0, 1}) {
      const double weight = bit == 1 ? above : 1 - above;
      if (weight == 0) continue;
      const int shown = move.hidden && variant != Broken::kHiddenFree ? 4 : bit;
      for (const auto& [step, mass] : Steps(skipped)) {
        const State next = {state[0] + bit + step, state[1] + !skipped};
        const bool halts = next[0] >= reports || next[1] >= horizon;
        outcomes.push_back({weight * mass, shown | (halts ? 2 : 0), next});
      }
    }
    return outcomes;
  }
  Context Next(const Context& context, const Move& move,
               const Observation& seen) const {
    return {context.rounds + 1, context.used || move.hidden, (seen & 2) != 0};
  }

 private:
  std::map<int, double> Steps(bool skipped) const {
    if (skipped || variant == Broken::kExactCount) return {{0, 1}};
    const DiscreteLaplaceDistribution<double> noise(counter_theta);
    std::map<int, double> steps;
    for (int z = -kReach; z <= kReach; ++z) {
      steps[z] = noise.ClampedMass(0, z, -kReach, kReach);
    }
    return steps;
  }
};

constexpr std::uint64_t kHorizon = 4;

// One level of four leaves: e_c = 3, tests of rate 1/5.
Params SmallParams() {
  return {.epsilon = 5,
          .delta = 0.5,
          .threshold = 0,
          .reports = 2,
          .horizon = kHorizon,
          .radices = {kHorizon}};
}
Noise SmallNoise() {
  return {.rate = 0.2, .counter_epsilon = 3, .counter_failure = 0.02};
}

CounterGame SmallGame(Broken variant = Broken::kSound) {
  return {.test_theta = std::exp(-0.2),
          .counter_theta = std::exp(-3.0),
          .reports = 2,
          .horizon = kHorizon,
          .variant = variant};
}

double GameDelta(const CounterGame& game, double epsilon) {
  const ExactGame exact(game, static_cast<int>(kHorizon));
  const auto delta = exact.Delta(std::exp(epsilon));
  EXPECT_TRUE(delta) << (delta ? "" : delta.error().message);
  return delta ? *delta : NAN;
}

// delta(epsilon) that the accountant states of the small test.
double Claim(const Noise& noise, std::int64_t reports, double epsilon) {
  const auto delta = CounterPopDelta({.rate = noise.rate,
                                      .targets = reports,
                                      .counter = noise.counter_epsilon,
                                      .late = noise.late,
                                      .failure = noise.counter_failure},
                                     epsilon);
  EXPECT_TRUE(delta) << (delta ? "" : delta.error().message);
  return delta ? *delta : NAN;
}

TEST(CounterAboveThresholdGameExactTest, CostsWhatTheFourPartsSay) {
  const auto test = Counted::Create(SmallParams(), SmallNoise());
  ASSERT_TRUE(test) << test.error().message;
  for (const double epsilon : {3.2, 5.0}) {
    const double claim = Claim(test->noise(), 2, epsilon);
    EXPECT_LE(GameDelta(SmallGame(), epsilon), claim + 1e-9) << epsilon;
  }
  // The counter alone needs its share.
  EXPECT_GT(GameDelta(SmallGame(), 1), 0.1);
}

TEST(CounterAboveThresholdGameExactTest, BrokenVariantsAreRefuted) {
  const auto test = Counted::Create(SmallParams(), SmallNoise());
  ASSERT_TRUE(test) << test.error().message;
  const double claim = Claim(test->noise(), 2, 5);
  EXPECT_LT(claim, 0.1);
  for (const Broken variant :
       {Broken::kExactCount, Broken::kNoTick, Broken::kHiddenFree}) {
    EXPECT_GT(GameDelta(SmallGame(variant), 5), 3 * claim)
        << static_cast<int>(variant);
  }
}

// A counter that lags by 60, as its error bound allows, and an adversary who
// asks 124 times at the threshold: what that shows, exactly, is far above a
// claim of one report, and below that of 61.
TEST(CounterAboveThresholdGameExactTest, NoiseForROnlyIsRefuted) {
  constexpr double kRate = 0.1;
  constexpr std::size_t kReports = 61;
  constexpr std::size_t kRounds = 124;
  // Weights of the runs with this many answers "above", in both worlds.
  const double above = 1 / (1 + std::exp(-kRate));
  std::vector<std::array<double, 2>> now(kReports + 1);
  now[0] = {1, 1};
  double delta = 0;
  const auto end = [&](const std::array<double, 2>& weight) {
    delta += std::max(0.0, weight[0] - std::exp(1.0) * weight[1]);
  };
  for (std::size_t round = 0; round < kRounds; ++round) {
    std::vector<std::array<double, 2>> next(kReports + 1);
    for (std::size_t i = 0; i < kReports; ++i) {
      next[i + 1][0] += now[i][0] * above;
      next[i + 1][1] += now[i][1] * (1 - above);
      next[i][0] += now[i][0] * (1 - above);
      next[i][1] += now[i][1] * above;
    }
    end(next[kReports]);  // halted
    next[kReports] = {0, 0};
    now = next;
  }
  for (const auto& weight : now) end(weight);
  const Noise one{.rate = kRate, .counter_epsilon = 0.01};
  Noise all = one;
  all.late = kReports - 1;
  EXPECT_GT(delta, 10 * Claim(one, 1, 1));
  EXPECT_LE(delta, Claim(all, 1, 1));
}

// Noise for r reports instead of r + lambda is stated as cheaper than it is:
// the same process with lambda more targets costs more.
TEST(CounterAboveThresholdTest, LateReportsArePaid) {
  const auto test = Counted::Create(
      {.epsilon = 1, .delta = 1e-6, .reports = 100, .horizon = 10'000});
  ASSERT_TRUE(test) << test.error().message;
  Noise forgotten = test->noise();
  EXPECT_GT(forgotten.late, 100);
  forgotten.late = 0;
  EXPECT_GT(Claim(test->noise(), 100, 1), 1.5 * Claim(forgotten, 100, 1));
  // And Create does not believe it.
  const auto again = Counted::Create(
      {.epsilon = 1, .delta = 1e-6, .reports = 100, .horizon = 10'000},
      forgotten);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->noise().late, test->noise().late);
}

// The promise has the cost of the tests, late ones included, of the counter, of
// its failure and of what is seen beside.
TEST(CounterAboveThresholdTest, StatesWhatItsPartsCost) {
  for (const double beside : {0.0, 0.2}) {
    const auto test = Counted::Create({.epsilon = 1,
                                       .delta = 1e-6,
                                       .reports = 100,
                                       .horizon = 10'000,
                                       .beside = beside});
    ASSERT_TRUE(test) << test.error().message;
    const Noise& noise = test->noise();
    EXPECT_GT(noise.counter_failure, 1e-7);
    const auto reports = static_cast<double>(100 + noise.late);
    const RenyiCurve tests(
        [&](double order) {
          const double rate = noise.rate;
          const double x =
              std::expm1((order - 1) * rate) * std::expm1(order * rate);
          return x < 1 ? -reports * std::log1p(-x)
                       : std::numeric_limits<double>::infinity();
        },
        1 + 0.5 / noise.rate);
    const double delta =
        noise.counter_failure +
        DeltaFromRenyi(
            tests.ComposedWith(PureCurve(noise.counter_epsilon + beside)), 1);
    EXPECT_NEAR(test->guarantee().delta(), delta, 1e-3 * delta) << beside;
  }
}

// Algorithm 6 from its lines, with the noise given: the counter is the class,
// the rest is plain.
// The promise is that of the noise in use: of the tests, of the counter, and of
// the counter's failure.
TEST(CounterAboveThresholdTest, StatesWhatItsNoiseCosts) {
  const Params params{.epsilon = 1,
                      .delta = 1e-6,
                      .threshold = 50,
                      .reports = 40,
                      .horizon = 1000,
                      .beside = 0.1};
  const auto test = CounterAboveThreshold::Create(params);
  ASSERT_TRUE(test);
  const Noise& noise = test->noise();
  const auto own = CounterPopDelta({.rate = noise.rate,
                                    .targets = params.reports,
                                    .counter = noise.counter_epsilon + 0.1,
                                    .late = noise.late,
                                    .failure = noise.counter_failure},
                                   params.epsilon);
  ASSERT_TRUE(own);
  EXPECT_GT(noise.counter_failure, 0.2e-6);
  EXPECT_GE(test->guarantee().spend().cost.delta, *own * (1 - 1e-9));
  EXPECT_LE(test->guarantee().delta(), params.delta);
}

TEST(CounterAboveThresholdTest, AnswersAsTheLinesOfThePaper) {
  const Params params{.epsilon = 2,
                      .delta = 1e-6,
                      .threshold = -50,
                      .reports = 4000,
                      .horizon = 100'000};
  auto test = Counted::Create(params);
  ASSERT_TRUE(test) << test.error().message;
  const Noise noise = test->noise();
  std::vector<std::uint64_t> binary(17, 2);
  auto counter = TreeCounter::Create({.epsilon = noise.counter_epsilon,
                                      .horizon = params.horizon,
                                      .failure = noise.counter_failure,
                                      .radices = binary});
  const auto laplace = FixedWorkLaplace::Create(*RationalBelow(noise.rate));
  ASSERT_TRUE(counter && laplace);
  testing::SeededRng here(4);
  testing::SeededRng there(4);
  std::uint64_t reports = 0;
  std::uint64_t rounds = 0;
  bool halted = false;
  for (; rounds < 100'000 && !halted; ++rounds) {
    const auto f = -static_cast<std::int64_t>(rounds * 7919 % 4001);
    const bool sigma = f + laplace->Sample(there) >= params.threshold;
    halted = *counter->Add(sigma ? 1 : 0, there) >= params.reports ||
             rounds + 1 == params.horizon;
    const auto answer = test->Test(f, here);
    ASSERT_EQ(answer == ThresholdAnswer::kAbove, sigma) << rounds;
    ASSERT_EQ(test->halted(), halted) << rounds;
    reports += sigma ? 1 : 0;
  }
  EXPECT_GT(rounds, 5000u);
  EXPECT_LE(std::abs(static_cast<double>(reports) - 4000),
            static_cast<double>(noise.late) + 1);
  EXPECT_EQ(test->Test(0, here), ThresholdAnswer::kHalted);
}

TEST(CounterAboveThresholdTest, AnEmptyRoundDrawsAsMuchAndCountsNothing) {
  const Params params{.epsilon = 4, .delta = 1e-3, .reports = 3, .horizon = 64};
  auto test = Counted::Create(params);
  auto empty = Counted::Create(params);
  ASSERT_TRUE(test && empty);
  testing::SeededRng here(8);
  testing::SeededRng there(8);
  for (int i = 0; i < 64; ++i) {
    if (test->halted() || empty->halted()) break;
    test->Test(-1'000'000, here);
    empty->PlayEmptyRound(there);
    ASSERT_EQ(here.Next(), there.Next());
    EXPECT_EQ(test->halted(), empty->halted());
  }
}

TEST(CounterAboveThresholdTest, ContinuesFromItsState) {
  const Params params{
      .epsilon = 4, .delta = 1e-3, .reports = 200, .horizon = 1000};
  auto straight = Counted::Create(params);
  ASSERT_TRUE(straight);
  auto saved = straight;
  testing::SeededRng here(2);
  testing::SeededRng there(2);
  for (int i = 0; i < 1000 && !straight->halted(); ++i) {
    ByteWriter writer;
    saved->Save(writer);
    ByteReader reader(writer.bytes());
    saved = Counted::Load(params, reader);
    ASSERT_TRUE(saved) << saved.error().message;
    ASSERT_TRUE(reader.Finish());
    const std::int64_t value = i % 3 == 0 ? 40 : -40;
    ASSERT_EQ(straight->Test(value, here), saved->Test(value, there)) << i;
    ASSERT_EQ(straight->halted(), saved->halted());
  }
  ByteWriter writer;
  straight->Save(writer);
  ByteReader other(writer.bytes());
  EXPECT_FALSE(Counted::Load(
      {.epsilon = 4, .delta = 1e-3, .reports = 201, .horizon = 1000}, other));
}

TEST(CounterAboveThresholdTest, PrintedNoiseCostsLessThanItIsAllowedTo) {
  const Params printed{.epsilon = 1,
                       .delta = 1e-6,
                       .reports = 1000,
                       .horizon = 1'000'000,
                       .printed = true};
  const auto test = Counted::Create(printed);
  ASSERT_TRUE(test) << test.error().message;
  EXPECT_LT(test->guarantee().delta(), 1e-6);
  Params least = printed;
  least.printed = false;
  const auto ours = Counted::Create(least);
  ASSERT_TRUE(ours);
  EXPECT_GT(1 / test->noise().rate, 2 / ours->noise().rate);
  EXPECT_LE(ours->guarantee().delta(), 1e-6);
  // The factor that the paper leaves open, too small: the accountant decides.
  Params reckless = printed;
  reckless.constant = 0.1;
  const auto refused = Counted::Create(reckless);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kBudgetExhausted);
}

// The solved game is the code that runs; false alarm 1e-6.
TEST(CounterAboveThresholdStatisticalTest, TheCodeAnswersByThisDistribution) {
  const auto fresh = Counted::Create(SmallParams(), SmallNoise());
  ASSERT_TRUE(fresh);
  const CounterGame game = SmallGame();
  const std::vector<int> script = {0, 1, -1, 1};
  std::map<std::pair<std::string, CounterGame::State>, double> now = {
      {{"", {0, 0}}, 1}};
  for (const int value : script) {
    std::map<std::pair<std::string, CounterGame::State>, double> next;
    for (const auto& [at, weight] : now) {
      if (at.first.ends_with('!')) {
        next[at] += weight;
        continue;
      }
      for (const auto& outcome :
           game.Step(World::kP, {}, at.second, {value, value, false})) {
        std::string view =
            at.first + ((outcome.observation & 1) != 0 ? "1" : "0");
        if ((outcome.observation & 2) != 0) view += '!';
        next[{view, outcome.state}] += weight * outcome.probability;
      }
    }
    now = std::move(next);
  }
  std::map<std::string, double> views;
  for (const auto& [at, weight] : now) views[at.first] += weight;
  std::vector<double> expected = {0};
  std::map<std::string, std::size_t> places;
  for (const auto& [view, weight] : views) {
    if (weight < 1e-3) {
      expected[0] += weight;
      continue;
    }
    places[view] = expected.size();
    expected.push_back(weight);
  }
  std::vector<std::uint64_t> seen(expected.size());
  testing::SeededRng rng(3);
  for (int i = 0; i < 100'000; ++i) {
    Counted test = *fresh;
    std::string view;
    for (const int value : script) {
      if (test.halted()) break;
      view += test.Test(value, rng) == ThresholdAnswer::kAbove ? '1' : '0';
      if (test.halted()) view += '!';
    }
    const auto place = places.find(view);
    ++seen[place == places.end() ? 0 : place->second];
  }
  EXPECT_GT(ChiSquaredPValue(seen, expected), 1e-6);
}

}  // namespace
}  // namespace sotto
