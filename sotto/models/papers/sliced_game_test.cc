// RectanglesPERP on small instances, exactly: all adaptive adversaries, both
// directions.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "sotto/accounting/stopped_process.h"
#include "sotto/models/papers/sliced_test_distribution.h"
#include "sotto/testing/exact_game.h"

namespace sotto {
namespace {

using testing::SlicedDistribution;
using testing::SlicedRules;

constexpr double kTest = 0.3;
constexpr double kStopper = 0.75;
constexpr double kRounding = 1 + 1e-9;
constexpr int kRounds = 3;

// A band in which most queries are medium, and outcomes that tell much.
SlicedRules Rules(std::vector<int> lengths) {
  SlicedRules rules;
  rules.theta = kTest;
  rules.stopper_theta = kStopper;
  rules.low = -2;
  rules.high = 3;
  rules.lengths = std::move(lengths);
  rules.training_p = {0, 1};
  rules.training_q = {0, 1};
  return rules;
}

// Noise at which moments of order 2 are finite.
constexpr double kMild = 0.8;
SlicedRules Mild(SlicedRules rules) {
  rules.theta = kMild;
  rules.stopper_theta = kMild;
  return rules;
}

// Infinite where a transcript is possible in one world only.
double WorstRatio(const SlicedRules& rules) {
  double worst = 0;
  for (const Direction way : {Direction::kPOverQ, Direction::kQOverP}) {
    const auto ratio =
        ExactGame(SlicedDistribution(rules), kRounds).MaxRatio(way);
    EXPECT_TRUE(ratio);
    if (!ratio) continue;
    worst = std::max(
        worst, *ratio ? **ratio : std::numeric_limits<double>::infinity());
  }
  return worst;
}

double LogMoment(const SlicedRules& rules) {
  double worst = 0;
  for (const Direction way : {Direction::kPOverQ, Direction::kQOverP}) {
    const auto moment =
        ExactGame(SlicedDistribution(rules), kRounds).Moment(2, way);
    EXPECT_TRUE(moment && *moment);
    if (moment && *moment) worst = std::max(worst, std::log(**moment));
  }
  return worst;
}

// A medium in the first round: checks of one Stopper until it halts, and then
// one test a round; the tests cost more.
double Medium(int rounds) {
  return kRounding / kStopper * std::pow(kTest, -rounds);
}
// A record of the data that a phase begins with. In one dimension a query lies
// on one side of it, and of the element that it pushes into the next slice.
double Slices(int rounds) { return kRounding * std::pow(kTest, -rounds); }

// Log-moments of order 2, by the factors that noise is chosen with.
double TestsMoment(int tests) {
  return tests * LogTargetFactor({.rate = -std::log(kMild), .gap = 4}, 2);
}
double StopperMoment() {
  return LogTargetFactor({.rate = -std::log(kMild)}, 2);
}

SlicedRules Trained(std::vector<int> p, std::vector<int> q) {
  SlicedRules rules = Rules({2, 9});
  rules.query_differs = false;
  rules.training_p = std::move(p);
  rules.training_q = std::move(q);
  return rules;
}

TEST(SlicedGameTest, ATrainingRecordCostsOneTestOnEachSideInTheFirstPhase) {
  for (const auto& [p, q] :
       std::vector<std::pair<std::vector<int>, std::vector<int>>>{
           {{0, 0, 1}, {0, 1}},     // absent
           {{0, 1, 1}, {1, 1}},     // absent
           {{0, 0, 1}, {0, 1, 1}},  // replaced
           {{0, 0, 1}, {1, 0, 1}}}) {
    const SlicedRules rules = Trained(p, q);
    EXPECT_LE(WorstRatio(rules), Slices(2));
    EXPECT_LE(LogMoment(Mild(rules)), TestsMoment(2));
  }
}

TEST(SlicedGameTest, ARecordThatStaysForTheSecondPhaseIsRefuted) {
  SlicedRules rules = Trained({0, 0, 1}, {0, 1});
  rules.lengths = {1, 9};
  EXPECT_LE(WorstRatio(rules), Slices(1));
  rules.lengths = {9};
  EXPECT_GT(WorstRatio(rules), 1.5 * Slices(1));
}

// The secret part of the sizes is not needed for these costs.
TEST(SlicedGameTest, SlicesOfPublicSizeCostNoMore) {
  for (const bool replaced : {false, true}) {
    SlicedRules rules = Trained({0, 0, 1}, replaced ? std::vector<int>{0, 1, 1}
                                                    : std::vector<int>{0, 1});
    rules.most_more = 0;
    EXPECT_LE(WorstRatio(rules), Slices(2));
  }
}

TEST(SlicedGameTest, AHiddenQueryCostsTheLargerOfTwoNotTheirSum) {
  const int later = kRounds - 1;
  // One phase: only a medium leaves anything.
  EXPECT_LE(WorstRatio(Rules({9})), Medium(later));
  const double medium = StopperMoment() + TestsMoment(later);
  EXPECT_TRUE(std::isfinite(medium));
  EXPECT_LE(LogMoment(Mild(Rules({9}))), medium);
  // A new phase at once: a medium is forgotten.
  EXPECT_LE(WorstRatio(Rules({1, 9})), Slices(later));
  EXPECT_LE(LogMoment(Mild(Rules({1, 9}))), TestsMoment(later));
  EXPECT_LE(WorstRatio(Rules({2, 9})), std::max(Medium(1), Slices(later - 1)));
}

TEST(SlicedGameTest, AReplacedQueryCostsTheirSumOrTwoMediumsAtMost) {
  SlicedRules rules = Rules({2, 9});
  rules.replace = true;
  EXPECT_LE(WorstRatio(rules), Medium(1) * std::max(Medium(1), Slices(1)));
}

TEST(SlicedGameTest, AMediumThatIsAlsoKeptForTheNextPhaseIsRefuted) {
  SlicedRules rules = Rules({2, 9});
  rules.medium_to_next_phase = true;
  EXPECT_GT(WorstRatio(rules), 1.1 * std::max(Medium(1), Slices(1)));
}

TEST(SlicedGameTest, NoStoppingQueryInAnEmptyRoundIsRefuted) {
  SlicedRules rules = Rules({9});
  rules.skip_stopping_if_absent = true;
  EXPECT_TRUE(std::isinf(WorstRatio(rules)));
}

TEST(SlicedGameTest, AnExactCountOfMediumsIsRefuted) {
  SlicedRules rules = Rules({9});
  rules.exact_stopper = true;
  EXPECT_TRUE(std::isinf(WorstRatio(rules)));
}

}  // namespace
}  // namespace sotto
