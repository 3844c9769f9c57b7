// Whole small procedures by Algorithm 7, in both worlds, against every adaptive
// adversary of a rich family; and broken ones.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <compare>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <vector>

#include "sotto/accounting/pop_accountant.h"
#include "sotto/learners/ensembles/naive_ensemble.h"
#include "sotto/learners/point_learner.h"
#include "sotto/models/pop/counter_online_procedure.h"
#include "sotto/testing/distributions/discrete_laplace.h"
#include "sotto/testing/exact_game.h"
#include "sotto/testing/game_distribution.h"
#include "sotto/testing/seeded_rng.h"

namespace sotto {
namespace {

using Pop = CounterOnlineProcedure;
using Noise = CounterAboveThreshold::Noise;

enum class Broken {
  kSound,
  kExactCount,  // halts by the true count
  kNoTick,      // empty rounds do not reach the counter
  kTwoCopies,   // a hidden label teaches twenty copies
};

// Algorithm 7 over copies that memorise the label of one point. Of the k copies
// one is the hidden round's; others say 1 as often as the public past made
// them. A visible user asks, and the label, if any, teaches a copy of the
// adversary's choice: one that changes its mind, or the hidden round's. The
// counter has one level, so its estimate is a sum of noisy steps.
struct CounterPopGame {
  using Number = double;
  static constexpr int kReach = 6;  // beyond: below 1e-7
  // What a user brings: nothing, the point, the point with a label.
  enum Input { kAbsent, kAsk, kZero, kOne };
  enum Effect { kNobody, kMore, kFewer, kOwnZero, kOwnOne };
  struct Move {
    bool hidden = false;
    std::array<Input, 2> input = {kAsk, kAsk};  // by world, if hidden
    Effect taught = kNobody;                    // otherwise
  };
  struct Context {
    int rounds = 0;
    bool used = false;
    bool halted = false;
    auto operator<=>(const Context&) const = default;
  };
  struct State {
    int votes = 0;  // of all others
    int own = 0;    // of the hidden round's copy; a broken variant has more
    int estimate = 0;
    int steps = 0;
    auto operator<=>(const State&) const = default;
  };
  using Observation = int;  // 0, 1: majority; 2: a coin; 4: hidden; 8: halt
  using Outcomes = std::vector<Outcome<Number, Observation, State>>;

  double test_theta = 0;
  double counter_theta = 0;
  int copies = 4;
  int reports = 1;
  int horizon = 3;
  int start = 0;  // votes of others
  Broken variant = Broken::kSound;

  Context Start() const { return {}; }
  std::vector<Weighted<Number, State>> Initial(World) const {
    return {{1, {.votes = start}}};
  }
  std::vector<Move> Moves(const Context& context) const {
    if (context.halted) return {};
    std::vector<Move> moves;
    for (const Effect taught : {kNobody, kMore, kFewer, kOwnZero, kOwnOne}) {
      if (context.used || (taught != kOwnZero && taught != kOwnOne)) {
        moves.push_back({.taught = taught});
      }
    }
    if (context.used) return moves;
    for (const Input p : {kAsk, kZero, kOne}) {
      for (const Input q : {kAbsent, kAsk, kZero}) {
        if (p > q) moves.push_back({.hidden = true, .input = {p, q}});
      }
    }
    return moves;
  }
  // Pr[a report], at this many votes for 1.
  double Above(int votes) const {
    const DiscreteLaplaceDistribution<double> noise(test_theta);
    return noise.AtLeast(-copies / 4 + std::abs(copies / 2 - votes));
  }
  Outcomes Step(World world, const Context&, const State& state,
                const Move& move) const {
    const Input input =
        move.hidden ? move.input[static_cast<std::size_t>(world)] : kAsk;
    const int votes = state.votes + state.own;
    const double above = input == kAbsent ? 0 : Above(votes);
    const State taught = Teach(state, move, input);
    const bool skipped = input == kAbsent && variant == Broken::kNoTick;
    Outcomes outcomes;
    for (const int bit : {0, 1}) {
      const double weight = bit == 1 ? above : 1 - above;
      if (weight == 0) continue;
      const int majority = 2 * votes >= copies ? 1 : 0;
      const int shown = move.hidden ? 4 : bit == 1 ? 2 : majority;
      for (const auto& [step, mass] : Steps(skipped)) {
        State next = taught;
        next.estimate += bit + step;
        next.steps += skipped ? 0 : 1;
        const bool halts = next.estimate >= reports || next.steps >= horizon;
        outcomes.push_back({weight * mass, shown | (halts ? 8 : 0), next});
      }
    }
    return outcomes;
  }
  Context Next(const Context& context, const Move& move,
               const Observation& seen) const {
    return {context.rounds + 1, context.used || move.hidden, (seen & 8) != 0};
  }

 private:
  State Teach(State state, const Move& move, Input input) const {
    const int each = variant == Broken::kTwoCopies ? 20 : 1;
    if (move.hidden && input == kZero) state.own = 0;
    if (move.hidden && input == kOne) state.own = each;
    if (move.taught == kOwnZero) state.own = 0;
    if (move.taught == kOwnOne) state.own = each;
    if (move.taught == kMore) ++state.votes;
    if (move.taught == kFewer) --state.votes;
    state.votes = std::clamp(state.votes, 0, copies - each);
    return state;
  }
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

constexpr double kEpsilon = 7;
constexpr double kRate = 0.4;
constexpr double kCounter = 3;
constexpr int kHorizon = 3;

Pop::Params SmallParams(std::int64_t copies) {
  return {
      .epsilon = kEpsilon,
      .delta = 0.9,
      .copies = copies,
      .reports = 1,
      .horizon = kHorizon,
      .radices = {kHorizon},
      .noise = {
          .rate = kRate, .counter_epsilon = kCounter, .counter_failure = 0.02}};
}

CounterPopGame SmallGame(int copies, int start,
                         Broken variant = Broken::kSound) {
  return {.test_theta = std::exp(-kRate),
          .counter_theta = std::exp(-kCounter),
          .copies = copies,
          .horizon = kHorizon,
          .start = start,
          .variant = variant};
}

double GameDelta(const CounterPopGame& game, double epsilon = kEpsilon) {
  const ExactGame exact(game, kHorizon);
  const auto delta = exact.Delta(std::exp(epsilon));
  EXPECT_TRUE(delta) << (delta ? "" : delta.error().message);
  return delta ? *delta : NAN;
}

constexpr int kCopies = 208;

// delta(epsilon) that the class promises.
double Claim(double epsilon = kEpsilon) {
  Pop::Params params = SmallParams(kCopies);
  params.epsilon = epsilon;
  params.delta = 0.999999;
  const auto promise = Pop::Promise(params);
  return promise ? promise->delta() : 1;
}

// Votes near the threshold k/4 of the tests, on both sides, and near a tie.
TEST(CounterOnlineProcedureGameExactTest, CostsWhatThePartsSay) {
  for (const double epsilon : {1.0, 2.5, 4.0, kEpsilon}) {
    const double claim = Claim(epsilon);
    double largest = 0;
    for (const int start : {50, 51, 52, 103, 156}) {
      const double delta = GameDelta(SmallGame(kCopies, start), epsilon);
      EXPECT_LE(delta, claim + 1e-6) << start;
      largest = std::max(largest, delta);
    }
    RecordProperty("largest" + std::to_string(epsilon),
                   std::to_string(largest) + " of " + std::to_string(claim));
  }
  EXPECT_LT(Claim(), 0.2);
  // The adversary gets somewhere: votes near k/4, and a present user at a tie.
  EXPECT_GT(GameDelta(SmallGame(kCopies, 51), 1), 0.1);
  EXPECT_GT(GameDelta(SmallGame(kCopies, 103), 0.9 * kCounter), 1e-2);
}

TEST(CounterOnlineProcedureGameExactTest, BrokenVariantsAreRefuted) {
  const double claim = Claim();
  for (const Broken variant :
       {Broken::kExactCount, Broken::kNoTick, Broken::kTwoCopies}) {
    EXPECT_GT(GameDelta(SmallGame(kCopies, 51, variant)), 2 * claim)
        << static_cast<int>(variant);
  }
}

// Erratum 3: with four copies the majority of a split round is shown often, and
// a claim that does not pay for it is wrong. Such numbers are refused.
TEST(CounterOnlineProcedureGameExactTest, MajoritiesOfFourCopiesAreNotFree) {
  const auto unpaid = CounterPopDelta({.rate = kRate,
                                       .targets = 1,
                                       .counter = kCounter,
                                       .late = 4,
                                       .failure = 0.02},
                                      kEpsilon);
  ASSERT_TRUE(unpaid);
  EXPECT_GT(GameDelta(SmallGame(4, 1)), 2 * *unpaid);
  const auto refused = Pop::Promise(SmallParams(4));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kBudgetExhausted);
}

// The code reports as often as the game says, at the votes it has; false
// alarm 1e-6.
TEST(CounterOnlineProcedureStatisticalTest, ReportsByThisDistribution) {
  constexpr int kTaught = 56;
  Pop::Params params = SmallParams(kCopies);
  params.epsilon = 16;
  params.reports = 25;
  params.horizon = kTaught + 1;
  params.radices = {kTaught + 1};
  const auto fresh = Pop::Create(params, [](std::uint64_t,
                                            std::int64_t copies) {
    return Result<std::unique_ptr<Ensemble>>(
        std::make_unique<NaiveEnsemble<PointLearner>>(PointLearner(), copies));
  });
  ASSERT_TRUE(fresh) << fresh.error().message;
  const CounterPopGame game = SmallGame(kCopies, 0);
  const FeatureVector x = {{0, 1.0}};
  testing::SeededRng rng(5);
  double expected = 0;
  double variance = 0;
  double seen = 0;
  for (int i = 0; i < 3000; ++i) {
    auto pop = fresh->Restarted();
    ASSERT_TRUE(pop);
    for (int j = 0; j < kTaught; ++j) {
      auto round = pop->Open(x, "", rng);
      ASSERT_TRUE(round && pop->Close(*std::move(round), true));
    }
    const auto votes = static_cast<int>(*pop->Votes(x));
    const double above = game.Above(votes);
    const auto round = pop->Open(x, "", rng);
    ASSERT_TRUE(round);
    expected += above;
    variance += above * (1 - above);
    seen += round->paid() ? 1 : 0;
  }
  EXPECT_GT(expected, 300);
  EXPECT_LT(std::abs(seen - expected), 5 * std::sqrt(variance));
}

}  // namespace
}  // namespace sotto
