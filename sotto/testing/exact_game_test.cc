#include "sotto/testing/exact_game.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <compare>
#include <variant>
#include <vector>

#include "sotto/base/result.h"
#include "sotto/testing/challenge_distribution.h"
#include "sotto/testing/distributions/between_thresholds.h"
#include "sotto/testing/distributions/discrete_laplace.h"
#include "sotto/testing/distributions/noisy_release.h"
#include "sotto/testing/distributions/pop_envelope.h"
#include "sotto/testing/distributions/pop_memorizers.h"
#include "sotto/testing/distributions/sparse_vector.h"
#include "sotto/testing/distributions/stopped_process.h"
#include "sotto/testing/distributions/stopper.h"
#include "sotto/testing/exact_number.h"
#include "sotto/testing/game_distribution.h"

namespace sotto {
namespace {

using Exact = ExactNumber;
constexpr std::array<Direction, 2> kBothWays = {Direction::kPOverQ,
                                                Direction::kQOverP};

// n answers of randomized response that are right with probability
// 1 / (1 + theta), by the binomial distribution.
Exact BinomialDelta(int n, const Exact& theta, const Exact& exp_epsilon) {
  const Exact p = 1 / (1 + theta);
  const Exact q = 1 - p;
  Exact choose = 1;
  Exact delta = 0;
  for (int k = 0; k <= n; ++k) {
    const Exact gain = choose * (Power(p, k) * Power(q, n - k) -
                                 exp_epsilon * Power(q, k) * Power(p, n - k));
    if (gain > 0) delta += gain;
    choose = choose * (n - k) / (k + 1);
  }
  return delta;
}

TEST(ExactGameTest, ReturnsTheBinomialCurveOfRandomizedResponse) {
  for (int n : {1, 2, 7}) {
    const ExactGame game(NoisyReleaseDistribution<Exact>{.theta = Exact(1) / 2},
                         n);
    for (const Exact& e : {Exact(1), Exact(3) / 2, Exact(4), Exact(100)}) {
      EXPECT_EQ(*game.Delta(e), BinomialDelta(n, Exact(1) / 2, e));
    }
    for (Direction direction : kBothWays) {
      EXPECT_EQ(**game.MaxRatio(direction), Power(Exact(2), n));
      // One answer has second moment p^2 / q + q^2 / p = 4/3 + 1/6.
      EXPECT_EQ(**game.Moment(2, direction), Power(Exact(3) / 2, n));
    }
  }
}

TEST(ExactGameTest, ReturnsTheCurveOfDiscreteLaplaceAtSensitivityTwo) {
  const Exact theta = Exact(2) / 3;
  const ExactGame game(
      NoisyReleaseDistribution<Exact>{.theta = theta, .sensitivity = 2}, 1);
  // For 1 <= e^epsilon <= theta^-2 only Z <= 0 gains.
  for (const Exact& e : {Exact(1), Exact(3) / 2, Exact(9) / 4}) {
    EXPECT_EQ(*game.Delta(e), (1 - e * theta * theta) / (1 + theta));
  }
}

TEST(ExactGameTest, EqualsTheStoppedProcessRecursionForAboveThreshold) {
  const Exact theta = Exact(4) / 5;
  const Exact e = Exact(3) / 2;
  for (int reports : {1, 2, 3}) {
    for (int rounds : {1, 3, 6}) {
      const ExactGame game(SparseVectorDistribution<Exact>{.query_theta = theta,
                                                           .reports = reports},
                           rounds);
      EXPECT_EQ(*game.Delta(e), StoppedDelta(theta, e, reports, rounds));
    }
  }
}

TEST(ExactGameTest, GrowsToTheUnboundedAboveThresholdFromBelow) {
  for (int reports : {1, 2}) {
    const double limit = StoppedDelta(0.8, 1.5, reports, 100);
    double last = 0;
    for (int rounds : {4, 8, 14}) {
      const ExactGame game(SparseVectorDistribution<double>{.query_theta = 0.8,
                                                            .reports = reports},
                           rounds);
      const double delta = *game.Delta(1.5);
      EXPECT_GT(delta, last);
      EXPECT_LT(delta, limit + game.ErrorBound(1.5));
      last = delta;
    }
    EXPECT_NEAR(last, limit, 2e-4);
  }
}

TEST(ExactGameTest, MomentGrowsToTheClosedFormOfAboveThreshold) {
  // 1 / (1 - (e^{e0} - 1)(e^{2 e0} - 1)) at e^{e0} = 5/4.
  const double closed = 1 / (1 - 0.25 * 0.5616);
  for (int reports : {1, 2}) {
    const ExactGame game(SparseVectorDistribution<double>{.query_theta = 0.8,
                                                          .reports = reports},
                         16);
    for (Direction direction : kBothWays) {
      const double moment = **game.Moment(2, direction);
      EXPECT_LT(moment, std::pow(closed, reports));
      EXPECT_NEAR(moment, std::pow(closed, reports), 0.006);
    }
  }
}

TEST(ExactGameTest, MomentGrowsToTheClosedFormOfBetweenThresholds) {
  // The same with the second factor over 1 - eta, eta = (4/5)^gap.
  const double closed = 1 / (1 - 0.25 * 0.5625 / (1 - std::pow(0.8, 3)));
  const ExactGame game(
      BetweenThresholdsDistribution<double>{.theta = 0.8, .gap = 3}, 20);
  for (Direction direction : kBothWays) {
    const double moment = **game.Moment(2, direction);
    EXPECT_LT(moment, closed);
    EXPECT_GT(moment, 0.97 * closed);
  }
}

TEST(ExactGameTest, StopperCostsItsEpsilonOnceInBothDirections) {
  for (int limit : {1, 2}) {
    for (const Exact& theta : {Exact(1) / 2, Exact(9) / 10}) {
      const ExactGame game(
          StopperDistribution<Exact>{.theta = theta, .limit = limit}, 3);
      for (Direction direction : kBothWays) {
        EXPECT_EQ(**game.MaxRatio(direction), 1 / theta);
        EXPECT_EQ(*game.Delta(1 / theta, direction), 0);
      }
    }
  }
}

TEST(ExactGameTest, StopperSurvivalIsTheSameSeriesInBothArithmetics) {
  const std::vector<int> counts = {0, 1, 1, 2, 4, 4};
  for (int limit : {1, 3, 6}) {
    const Exact exact = StopperSurvival(Exact(3) / 5, limit, counts);
    EXPECT_NEAR(static_cast<double>(exact), StopperSurvival(0.6, limit, counts),
                1e-15);
  }
}

double EnvelopeDelta(double e0, int gap, int limit, double e_s, double epsilon,
                     int before, int after) {
  double worst = 0;
  for (const std::array<int, 2>& hidden :
       {std::array{0, 0}, std::array{0, 1}, std::array{1, 0}}) {
    const ExactGame game(
        PopEnvelopeDistribution<double>{.theta = std::exp(-e0),
                                        .gap = gap,
                                        .stopper_theta = std::exp(-e_s),
                                        .limit = limit,
                                        .hidden = hidden,
                                        .rounds_before = before,
                                        .rounds_after = after},
        before + 1 + after);
    worst = std::max(worst, *game.Delta(std::exp(epsilon), Direction::kPOverQ));
  }
  return worst;
}

TEST(ExactGameTest, ReproducesTheEnvelopeOfPop) {
  // From an independent program that walks medium patterns and a loss lattice.
  EXPECT_NEAR(EnvelopeDelta(0.5, 2, 1, 2, 1, 1, 3), 0.580783663391, 1e-12);
  EXPECT_NEAR(EnvelopeDelta(1, 2, 1, 3, 4, 0, 3), 0.306586314344, 1e-11);
}

double MemorizersDelta(int copies, int high, int limit, double e0, double e_s,
                       double epsilon, int horizon) {
  const ExactGame game(ChallengeDistribution(PopMemorizers<double>{
                           .theta = std::exp(-e0),
                           .low = 0,
                           .high = high,
                           .stopper_theta = std::exp(-e_s),
                           .limit = limit,
                           .copies = copies}),
                       horizon);
  return *game.Delta(std::exp(epsilon), Direction::kPOverQ);
}

TEST(ExactGameTest, ReproducesWholePopInstancesAndStaysBelowTheEnvelope) {
  // From an independent program for these instances only.
  const double two = MemorizersDelta(2, 2, 1, 0.5, 1, 0.5, 3);
  EXPECT_NEAR(two, 0.1068177497, 1e-10);
  EXPECT_NEAR(MemorizersDelta(3, 3, 1, 0.5, 1, 0.25, 2), 0.1541206138, 1e-10);
  EXPECT_LE(two, EnvelopeDelta(0.5, 1, 1, 1, 0.5, 2, 2));
}

TEST(ExactGameTest, DoublesAgreeWithRationalsWithinTheErrorBound) {
  for (int rounds : {4, 8}) {
    const ExactGame exact(
        BetweenThresholdsDistribution<Exact>{
            .theta = Exact(4) / 5, .gap = 2, .reports = 2},
        rounds);
    const ExactGame rounded(
        BetweenThresholdsDistribution<double>{
            .theta = 0.8, .gap = 2, .reports = 2},
        rounds);
    EXPECT_NEAR(*rounded.Delta(1.5),
                static_cast<double>(*exact.Delta(Exact(3) / 2)),
                rounded.ErrorBound(1.5));
  }
}

TEST(ExactGameTest, AttackIsACertificateOfDelta) {
  const Exact e = Exact(3) / 2;
  const ExactGame game(
      SparseVectorDistribution<Exact>{.query_theta = Exact(4) / 5,
                                      .reports = 2},
      6);
  for (Direction direction : kBothWays) {
    Exact gained = 0;
    Exact last = 1;
    const auto attack = game.Attack(e, direction);
    ASSERT_TRUE(attack);
    for (const auto& transcript : *attack) {
      const Exact gain = transcript.numerator - e * transcript.denominator;
      EXPECT_LE(gain, last);
      EXPECT_LE(transcript.steps.size(), 6);
      gained += gain;
      last = gain;
    }
    EXPECT_EQ(gained, *game.Delta(e, direction));
  }
}

// One coin, thrown in the hidden round and never shown: right with a
// probability that depends on the world.
struct HiddenCoinDistribution {
  using Number = Exact;
  using State = bool;
  using Context = int;  // Rounds played.
  using Observation = char;
  using Move = std::monostate;
  bool shown = false;
  Exact leak =
      0;  // Added to one probability: the distribution is then malformed.

  Context Start() const { return 0; }
  std::vector<Weighted<Number, State>> Initial(World) const {
    return {{Exact(1), false}};
  }
  std::vector<Move> Moves(const Context& rounds) const {
    return rounds < 2 ? std::vector<Move>{{}} : std::vector<Move>{};
  }
  std::vector<Outcome<Number, Observation, State>> Step(World world,
                                                        const Context& rounds,
                                                        const State& coin,
                                                        const Move&) const {
    if (rounds == 1) return {{Exact(1), shown && coin ? 'h' : 't', coin}};
    const Exact heads = Exact(world == World::kP ? 3 : 1) / 4;
    return Hidden<Number, Observation, State>(
        {{heads + leak, 'h', true}, {1 - heads, 't', false}}, '-');
  }
  Context Next(const Context& rounds, const Move&, const Observation&) const {
    return rounds + 1;
  }
};

TEST(ExactGameTest, HiddenRoundsShowNothingUntilTheStateIsUsed) {
  EXPECT_EQ(*ExactGame(HiddenCoinDistribution{}, 5).Delta(Exact(1)), 0);
  EXPECT_EQ(
      *ExactGame(HiddenCoinDistribution{.shown = true}, 1).Delta(Exact(1)), 0);
  const ExactGame shown(HiddenCoinDistribution{.shown = true}, 2);
  EXPECT_EQ(*shown.Delta(Exact(1)), Exact(1) / 2);
  EXPECT_EQ(*shown.Delta(Exact(2)), Exact(1) / 4);
  EXPECT_EQ(**shown.MaxRatio(Direction::kQOverP), 3);
}

TEST(ExactGameTest, RefusesProbabilitiesThatDoNotSumToOne) {
  for (const Exact& leak : {Exact(1) / 1000000, Exact(-1)}) {
    const ExactGame game(HiddenCoinDistribution{.leak = leak}, 2);
    const auto delta = game.Delta(Exact(1));
    ASSERT_FALSE(delta);
    EXPECT_EQ(delta.error().code, ErrorCode::kInvalidArgument);
    EXPECT_FALSE(game.MaxRatio(Direction::kPOverQ));
    EXPECT_FALSE(game.Attack(Exact(1), Direction::kPOverQ));
  }
}

TEST(ExactGameTest, FailsRatherThanSearchTooLong) {
  const ExactGame game(StopperDistribution<double>{.theta = 0.5}, 6,
                       /*max_nodes=*/10);
  const auto delta = game.Delta(1.0);
  ASSERT_FALSE(delta);
  EXPECT_EQ(delta.error().code, ErrorCode::kNotConverged);
}

}  // namespace
}  // namespace sotto
