// The accounting on small instances, exactly: all adaptive adversaries, both
// directions.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "sotto/mechanisms/boundaries/boundary_cost.h"
#include "sotto/mechanisms/boundaries/boundary_test_distribution.h"
#include "sotto/mechanisms/boundaries/recycled_test_distribution.h"
#include "sotto/testing/exact_game.h"

namespace sotto {
namespace {

using testing::BoundaryDistribution;
using testing::BoundaryRules;
using testing::RecycledDistribution;

// The moments of order 2 of what a query or a training record leaves behind,
// against the curves that noise is chosen by.

struct Rates {
  double test;
  double stopper;
};
constexpr int kGap = 8;

SideNoise MakeCopy(const Rates& rates, std::int64_t rounds_per_check = 1) {
  return {.rate = rates.test,
          .low = 0,
          .high = kGap + 1,
          .size = kGap + 1,
          .limit = 1,
          .stopper = rates.stopper,
          .rounds_per_check = rounds_per_check};
}

RecycledDistribution ComputeDistribution(const Rates& rates, int copies) {
  return {.theta = std::exp(-rates.test),
          .stopper_theta = std::exp(-rates.stopper),
          .gap = kGap,
          .limit = 1,
          .copies = copies};
}

double LogMoment(const RecycledDistribution& distribution, int horizon) {
  double worst = 0;
  for (const Direction way : {Direction::kPOverQ, Direction::kQOverP}) {
    const auto moment = ExactGame(distribution, horizon).Moment(2, way);
    EXPECT_TRUE(moment && *moment);
    if (moment && *moment) worst = std::max(worst, std::log(**moment));
  }
  return worst;
}

double MediumBound(const Rates& rates) {
  return PureCurve(rates.stopper)
      .ComposedWith(CopyCurve(MakeCopy(rates)))
      .LogMomentAt(2);
}

TEST(BoundaryGameTest, AMediumCostsOneStopperAndOneCopyAndNotMuchLess) {
  for (const Rates& rates : {Rates{0.3, 3}, Rates{0.2, 2}, Rates{0.3, 1}}) {
    const double exact = LogMoment(ComputeDistribution(rates, 1), 9);
    EXPECT_LE(exact, MediumBound(rates));
    EXPECT_GE(exact, (rates.stopper > 1 ? 0.95 : 0.65) * MediumBound(rates));
  }
}

TEST(BoundaryGameExactTest, AMediumThatIsPutOnTwoSidesIsRefuted) {
  const Rates rates{0.3, 3};
  EXPECT_GT(LogMoment(ComputeDistribution(rates, 2), 8),
            1.01 * MediumBound(rates));
}

TEST(BoundaryGameExactTest, ATrainingRecordCostsACopyOnEverySide) {
  const Rates rates{0.3, 3};
  const double one = CopyCurve(MakeCopy(rates)).LogMomentAt(2);
  for (const int sides : {1, 2}) {
    RecycledDistribution distribution = ComputeDistribution(rates, sides);
    distribution.trained = true;
    const double exact = LogMoment(distribution, 8);
    EXPECT_LE(exact, sides * one);
    EXPECT_GE(exact, (sides == 1 ? 0.75 : 0.55) * sides * one);
    if (sides == 2) {
      // Charged as if it were on one side only.
      EXPECT_GT(exact, 1.05 * one);
    }
  }
}

TEST(BoundaryGameTest, ChecksThatComeLaterCostTheMediumsBetweenThem) {
  const Rates rates{0.3, 3};
  RecycledDistribution distribution = ComputeDistribution(rates, 1);
  distribution.trained = true;
  distribution.rounds_per_check = 3;
  const double exact = LogMoment(distribution, 9);
  EXPECT_LE(exact, CopyCurve(MakeCopy(rates, 3)).LogMomentAt(2));
  // Charged as if there were a check on every round.
  EXPECT_GT(exact, 1.05 * CopyCurve(MakeCopy(rates)).LogMomentAt(2));
}

// Whole predictors on a line of two points: which copies a record touches. The
// largest ratio of any transcript is that of all tests it touches, and of one
// Stopper if it was medium.

constexpr double kInitial = 0.6;
constexpr double kRecycled = 0.5;
constexpr double kStopper = 0.7;

BoundaryRules Rules(int sides, std::vector<int> lengths) {
  BoundaryRules rules;
  rules.sides = sides;
  rules.initial_theta = kInitial;
  rules.recycled_theta = kRecycled;
  rules.stopper_theta = kStopper;
  rules.lengths = std::move(lengths);
  rules.training_p = {0};
  rules.training_q = {0};
  return rules;
}

int GetHorizon(const BoundaryRules& rules) { return rules.sides == 1 ? 4 : 3; }

// Infinite where a transcript is possible in one world only.
double WorstRatio(const BoundaryRules& rules) {
  double worst = 0;
  for (const Direction way : {Direction::kPOverQ, Direction::kQOverP}) {
    const ExactGame game(BoundaryDistribution(rules), GetHorizon(rules));
    const auto ratio = game.MaxRatio(way);
    EXPECT_TRUE(ratio);
    if (!ratio) continue;
    worst = std::max(
        worst, *ratio ? **ratio : std::numeric_limits<double>::infinity());
  }
  return worst;
}

constexpr double kRounding = 1 + 1e-9;
// A medium in the first round: a Stopper, and `rounds` tests of one copy.
double Medium(int rounds) {
  return kRounding / kStopper * std::pow(kRecycled, -rounds);
}
// Something inside in the first round: tests on all sides of later phases.
double Inside(int sides, int rounds) {
  return kRounding * std::pow(kInitial, -sides * rounds);
}

TEST(BoundaryGameTest, ATrainingRecordTouchesTheFirstPhaseOnly) {
  for (const int sides : {1, 2}) {
    BoundaryRules rules = Rules(sides, {2, 9});
    rules.query_differs = false;
    rules.training_p = {0, 1};
    rules.training_q = {1};
    EXPECT_LE(WorstRatio(rules), Inside(sides, 2));
    rules.training_q = {1, 1};  // replaced
    const double replaced = WorstRatio(rules);
    EXPECT_LE(replaced, Inside(sides, 2));
    EXPECT_GE(replaced * kRounding * kRounding, Inside(1, 2));
  }
}

TEST(BoundaryGameExactTest, AHiddenQueryCostsTheLargerOfTwoNotTheirSum) {
  for (const int sides : {1, 2}) {
    const int later = GetHorizon(Rules(sides, {})) - 1;
    // One phase: only a medium leaves anything.
    EXPECT_LE(WorstRatio(Rules(sides, {9})), Medium(later));
    // A new phase at once: a medium is forgotten.
    EXPECT_LE(WorstRatio(Rules(sides, {1, 9})), Inside(sides, later));
    // In between.
    EXPECT_LE(WorstRatio(Rules(sides, {2, 9})),
              std::max(Medium(1), Inside(sides, later - 1)));
  }
}

TEST(BoundaryGameTest, AReplacedQueryCostsTheirSumAtMost) {
  BoundaryRules rules = Rules(1, {2, 9});
  rules.replace = true;
  EXPECT_LE(WorstRatio(rules), Medium(1) * Inside(1, 2));
}

TEST(BoundaryGameTest, PuttingAMediumOnAllSidesIsRefuted) {
  BoundaryRules rules = Rules(2, {9});
  rules.medium_to_all_sides = true;
  EXPECT_GT(WorstRatio(rules), 1.4 * Medium(2));
}

TEST(BoundaryGameTest, KeepingAMediumForTheNextPhaseTooIsRefuted) {
  BoundaryRules rules = Rules(1, {2, 9});
  rules.medium_to_next_phase = true;
  EXPECT_GT(WorstRatio(rules), 1.1 * std::max(Medium(1), Inside(1, 2)));
}

TEST(BoundaryGameTest, SkippingTheCheckOfAnAbsentQueryIsRefuted) {
  BoundaryRules rules = Rules(1, {9});
  rules.skip_check_if_absent = true;
  EXPECT_TRUE(std::isinf(WorstRatio(rules)));
}

TEST(BoundaryGameTest, ReleasingTheCountOfAMediumAsItIsIsRefuted) {
  BoundaryRules rules = Rules(1, {9});
  rules.release_count = true;
  EXPECT_TRUE(std::isinf(WorstRatio(rules)));
}

}  // namespace
}  // namespace sotto
