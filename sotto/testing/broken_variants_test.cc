// Every mechanism in this file claims an (epsilon, delta) it does not have, and
// is refuted. The sound mechanism beside it is accepted at the same claim.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "sotto/testing/distributions/between_thresholds.h"
#include "sotto/testing/distributions/discrete_laplace.h"
#include "sotto/testing/distributions/noisy_release.h"
#include "sotto/testing/distributions/sparse_vector.h"
#include "sotto/testing/distributions/stopped_process.h"
#include "sotto/testing/distributions/stopper.h"
#include "sotto/testing/exact_game.h"
#include "sotto/testing/exact_number.h"

namespace sotto {
namespace {

using Exact = ExactNumber;

template <typename Distribution>
double WorstDelta(const Distribution& distribution, int horizon,
                  double exp_epsilon) {
  return *ExactGame(distribution, horizon).Delta(exp_epsilon);
}

template <typename Distribution>
Exact WorstExactDelta(const Distribution& distribution, int horizon,
                      const Exact& exp_epsilon) {
  return *ExactGame(distribution, horizon).Delta(exp_epsilon);
}

// The claim of AboveThreshold without threshold noise: the exact guarantee for
// any number of tests. 100 rounds are within 1e-12 of it here.
double AboveThresholdClaim(double theta, double exp_epsilon, int reports) {
  return StoppedDelta(theta, exp_epsilon, reports, 100) + 1e-12;
}

TEST(BrokenVariantsTest, HalvedSensitivity) {
  const Exact e = 4;
  const NoisyReleaseDistribution<Exact> sound{.theta = Exact(1) / 2};
  const NoisyReleaseDistribution<Exact> broken{.theta = Exact(1) / 2,
                                               .sensitivity = 2};
  // The curve of six answers of randomized response at e0 = ln 2, computed
  // directly: (64 - 4) + 6 (32 - 8) + 15 (16 - 16) out of 3^6.
  const Exact claim = Exact(60 + 144) / 729;
  EXPECT_EQ(WorstExactDelta(sound, 6, e), claim);
  EXPECT_GT(WorstExactDelta(broken, 6, e), claim);
}

TEST(BrokenVariantsTest, NoiseAtNineTenthsOfTheScale) {
  const double claim = AboveThresholdClaim(0.8, 1.5, 1);
  const SparseVectorDistribution<double> sound{.query_theta = 0.8};
  const SparseVectorDistribution<double> broken{.query_theta =
                                                    std::pow(0.8, 1 / 0.9)};
  EXPECT_LE(WorstDelta(sound, 20, 1.5), claim);
  EXPECT_GT(WorstDelta(broken, 20, 1.5), 1.2 * claim);
}

TEST(BrokenVariantsTest, OneReportMoreThanPaid) {
  const double claim = AboveThresholdClaim(0.8, 1.5, 2);
  const SparseVectorDistribution<double> sound{.query_theta = 0.8,
                                               .reports = 2};
  const SparseVectorDistribution<double> broken{.query_theta = 0.8,
                                                .reports = 3};
  EXPECT_LE(WorstDelta(sound, 12, 1.5), claim);
  EXPECT_GT(WorstDelta(broken, 12, 1.5), 1.3 * claim);
}

TEST(BrokenVariantsTest, OneNoiseForAllQueries) {
  const double claim = AboveThresholdClaim(0.8, 1.5, 1);
  const SparseVectorDistribution<Exact> broken{
      .query_theta = Exact(4) / 5, .support = 3, .reuse_query_noise = true};
  EXPECT_LE(
      WorstDelta(SparseVectorDistribution<double>{.query_theta = 0.8}, 6, 1.5),
      claim);
  EXPECT_EQ(WorstExactDelta(broken, 6, Exact(3) / 2), Exact(1) / 5);
  EXPECT_GT(0.2, claim);
  EXPECT_FALSE(*ExactGame(broken, 2).MaxRatio(Direction::kPOverQ));
}

// The sparse vector technique with its usual claim: threshold noise theta_t,
// query noise theta_q, r reports, e^epsilon = theta_t^-1 theta_q^-2r, delta =
// 0. The clamping of the kept noise moves each side of the inequality by
// SupportError.
TEST(BrokenVariantsTest, SparseVectorWithoutThresholdNoise) {
  const SparseVectorDistribution<double> sound{
      .query_theta = 0.5, .threshold_theta = 0.5, .support = 12};
  EXPECT_LE(WorstDelta(sound, 5, 8), sound.SupportError());
  const SparseVectorDistribution<Exact> broken{.query_theta = Exact(1) / 2};
  EXPECT_EQ(WorstExactDelta(broken, 6, Exact(8)), Exact(88) / 729);
  // The ratio grows with the queries: there is no finite epsilon.
  const Direction direction = Direction::kPOverQ;
  EXPECT_EQ(**ExactGame(broken, 12).MaxRatio(direction), Power(Exact(2), 12));
}

TEST(BrokenVariantsTest, SparseVectorWithoutQueryNoise) {
  const SparseVectorDistribution<Exact> broken{.threshold_theta = Exact(1) / 2,
                                               .support = 3};
  EXPECT_EQ(WorstExactDelta(broken, 4, Exact(8)), Exact(1) / 2);
  EXPECT_FALSE(*ExactGame(broken, 4).MaxRatio(Direction::kQOverP));
}

TEST(BrokenVariantsTest, SparseVectorThatReleasesTheComparedValue) {
  SparseVectorDistribution<double> distribution{
      .query_theta = 0.5, .threshold_theta = 0.5, .support = 8};
  const double error = distribution.SupportError();
  EXPECT_LE(WorstDelta(distribution, 4, 8), error);
  distribution.release_value = true;
  EXPECT_GT(WorstDelta(distribution, 5, 8), 0.005 + 8 * error);
  EXPECT_NEAR(**ExactGame(distribution, 5).MaxRatio(Direction::kPOverQ), 32,
              1e-6);
}

TEST(BrokenVariantsTest, SparseVectorWithNoiseNotScaledToTheReports) {
  SparseVectorDistribution<double> distribution{
      .query_theta = 0.5, .threshold_theta = 0.5, .support = 12};
  const double error = distribution.SupportError();
  EXPECT_LE(WorstDelta(distribution, 4, 8), error);
  distribution.reports = 3;
  EXPECT_GT(WorstDelta(distribution, 5, 8), 0.03 + 8 * error);
}

TEST(BrokenVariantsTest, SparseVectorThatRedrawsAnUnscaledThreshold) {
  SparseVectorDistribution<double> distribution{
      .query_theta = 0.25, .threshold_theta = 0.25, .reports = 2, .support = 9};
  const double error = 2 * distribution.SupportError();  // At most two draws.
  const double exp_epsilon = 1024;
  const Direction direction = Direction::kPOverQ;
  EXPECT_LE(*ExactGame(distribution, 5).Delta(exp_epsilon, direction), error);
  distribution.redraw_threshold = true;
  EXPECT_GT(*ExactGame(distribution, 6).Delta(exp_epsilon, direction),
            0.003 + exp_epsilon * error);
}

// delta at epsilon of a stopped process by its Renyi moments, with the factor
// 1 / (1 - eta) of BetweenThresholds or, for eta = 0, without it.
double BetweenThresholdsClaim(double e0, double eta, double epsilon) {
  double claim = 1;
  for (int i = 0; i < 370; ++i) {
    const double order = 1 + 0.001 * std::pow(1.03, i);
    const double x =
        std::expm1((order - 1) * e0) * std::expm1(order * e0) / (1 - eta);
    if (x >= 1) break;
    claim = std::min(claim, std::exp(-std::log1p(-x) - (order - 1) * epsilon +
                                     (order - 1) * std::log1p(-1 / order) -
                                     std::log(order)));
  }
  return claim;
}

TEST(BrokenVariantsTest, BetweenThresholdsPaidLikeAboveThreshold) {
  const BetweenThresholdsDistribution<double> distribution{
      .theta = std::exp(-0.2), .gap = 1};
  for (double epsilon : {0.5, 1.0, 2.0}) {
    const double delta = WorstDelta(distribution, 30, std::exp(epsilon));
    EXPECT_LE(delta, BetweenThresholdsClaim(0.2, std::exp(-0.2), epsilon));
    EXPECT_GT(delta, 1.3 * BetweenThresholdsClaim(0.2, 0, epsilon));
  }
}

// The Stopper at e_s = ln 2, claimed to be pure.
TEST(BrokenVariantsTest, StopperCheckedOnlyAfterCountedRounds) {
  using Clock = StopperDistribution<Exact>::Clock;
  StopperDistribution<Exact> distribution{.theta = Exact(1) / 2, .limit = 2};
  EXPECT_EQ(WorstExactDelta(distribution, 4, Exact(2)), 0);
  distribution.clock = Clock::kAfterCountedRounds;
  EXPECT_EQ(WorstExactDelta(distribution, 4, Exact(2)), Exact(8) / 21);
  EXPECT_FALSE(*ExactGame(distribution, 4).MaxRatio(Direction::kPOverQ));
}

TEST(BrokenVariantsTest, StopperWithoutFreshNoise) {
  StopperDistribution<Exact> distribution{.theta = Exact(1) / 2, .limit = 2};
  EXPECT_EQ(WorstExactDelta(distribution, 4, Exact(2)), 0);
  distribution.fresh_noise = false;
  EXPECT_EQ(WorstExactDelta(distribution, 4, Exact(2)), Exact(1) / 2);
}

TEST(BrokenVariantsTest, StopperClaimedAtNineTenths) {
  const StopperDistribution<Exact> distribution{.theta = Exact(1) / 2};
  EXPECT_EQ(WorstExactDelta(distribution, 4, Exact(2)), 0);
  // 2^0.9 < 1.87.
  EXPECT_GT(WorstExactDelta(distribution, 4, Exact(187) / 100), 0);
}

TEST(BrokenVariantsTest, AbsentUserThatDeletesTheRound) {
  using Clock = StopperDistribution<Exact>::Clock;
  StopperDistribution<Exact> distribution{.theta = Exact(1) / 2};
  EXPECT_EQ(WorstExactDelta(distribution, 3, Exact(2)), 0);
  distribution.clock = Clock::kPresentRounds;
  EXPECT_GT(WorstExactDelta(distribution, 3, Exact(2)), Exact(1) / 4);
  EXPECT_FALSE(*ExactGame(distribution, 3).MaxRatio(Direction::kQOverP));
}

}  // namespace
}  // namespace sotto
