// The whole view of small point predictors, in both worlds, against every
// adaptive adversary.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "sotto/models/points/point_design.h"
#include "sotto/models/points/point_predictor.h"
#include "sotto/models/points/point_test_game.h"
#include "sotto/testing/exact_game.h"
#include "sotto/testing/seeded_rng.h"
#include "sotto/testing/statistics.h"

namespace sotto {
namespace {

using Input = PointGame::Input;

const PointDesign& Design() {
  static const PointDesign kDesign = {.gate = {1.5, 0.1},
                                      .mirror = {{1.2, 0.1}, {0.4, 0.1}}};
  return kDesign;
}

PointGame Game(BrokenPointVariant variant = BrokenPointVariant::kSound) {
  const PointDesign& design = Design();
  const auto gate = CountGate::Create(
      {.epsilon = design.gate.epsilon, .delta = design.gate.delta});
  const auto step = LopsidedStep::Create(design.mirror);
  EXPECT_TRUE(gate);
  EXPECT_TRUE(step);
  PointGame game = MakeGame(*gate, *step);
  game.variant = variant;
  return game;
}

Input Visible(int point, bool y, bool previous = false) {
  return {.point = point, .y = y, .previous = previous};
}
Input Secret(int point, bool y, bool late = false) {
  return {.point = point, .y = y, .hidden = true, .late = late};
}
const Input kNobody = {.point = -1, .hidden = true};

// One point; the hidden round brings it or nothing, or another label.
PointGame OnePoint(BrokenPointVariant variant = BrokenPointVariant::kSound) {
  PointGame game = Game(variant);
  game.inputs = {Visible(0, true), Visible(0, false)};
  game.challenges = {{Secret(0, true), kNobody},
                     {Secret(0, false), kNobody},
                     {Secret(0, true), Secret(0, false)}};
  return game;
}

// Two points; the hidden round brings one of them or the other.
PointGame TwoPoints(BrokenPointVariant variant = BrokenPointVariant::kSound) {
  PointGame game = Game(variant);
  game.inputs = {Visible(0, true), Visible(0, false), Visible(1, true),
                 Visible(1, false)};
  game.challenges = {{Secret(0, true), Secret(1, true)},
                     {Secret(0, true), Secret(1, false)},
                     {Secret(0, false), Secret(1, true)},
                     {Secret(0, false), Secret(1, false)}};
  return game;
}

// One point, labels that come one round late or not at all, empty rounds.
PointGame LateLabels(BrokenPointVariant variant = BrokenPointVariant::kSound) {
  PointGame game = Game(variant);
  game.patience = 1;
  game.inputs = {Visible(0, true), Visible(0, false), Visible(0, false, true),
                 Visible(-1, false), Visible(-1, false, true)};
  game.challenges = {{Secret(0, true), kNobody},
                     {Secret(0, false, true), kNobody},
                     {Secret(0, false), kNobody},
                     {Secret(0, false, true), Secret(0, false)}};
  return game;
}

double Delta(const PointGame& game, int horizon, double epsilon) {
  const ExactGame exact(ChallengeDistribution{game}, horizon);
  const auto delta = exact.Delta(std::exp(epsilon));
  EXPECT_TRUE(delta) << (delta ? "" : delta.error().message);
  return delta ? *delta : NAN;
}

constexpr int kLong = 14;
constexpr int kTwo = 12;  // with two points
constexpr int kShort = 10;
constexpr double kRoundOff = 1e-9;

TEST(PointGameTest, OneOccurrenceCostsWhatTheDesignSays) {
  const ApproximateDp cost = Design().Cost(Relation::kAddRemove);
  const double delta = Delta(OnePoint(), kLong, cost.epsilon);
  EXPECT_LE(delta, cost.delta + kRoundOff);
  // And hardly less: the check is close to the bound.
  EXPECT_GT(delta, 0.8 * cost.delta);
}

TEST(PointGameTest, AReplacedRoundCostsBothDirectionsAndTwoGates) {
  const ApproximateDp cost = Design().Cost(Relation::kReplace);
  EXPECT_LE(Delta(TwoPoints(), kTwo, cost.epsilon), cost.delta + kRoundOff);
}

TEST(PointGameTest, LabelsMayComeLateOrNever) {
  const ApproximateDp cost = Design().Cost(Relation::kAddRemove);
  EXPECT_LE(Delta(LateLabels(), kLong, cost.epsilon), cost.delta + kRoundOff);
}

TEST(PointGameTest, AReplacedRoundIsNotPaidByOneOccurrence) {
  const ApproximateDp cost = Design().Cost(Relation::kAddRemove);
  EXPECT_GT(Delta(TwoPoints(), kTwo, cost.epsilon), 1.05 * cost.delta);
}

TEST(PointGameTest, BrokenVariantsAreRefuted) {
  const ApproximateDp cost = Design().Cost(Relation::kAddRemove);
  for (const BrokenPointVariant variant :
       {BrokenPointVariant::kRecomputed, BrokenPointVariant::kFree,
        BrokenPointVariant::kShown}) {
    EXPECT_GT(Delta(OnePoint(variant), kShort, cost.epsilon), 1.3 * cost.delta);
  }
  for (const BrokenPointVariant variant :
       {BrokenPointVariant::kHasty, BrokenPointVariant::kNoTick}) {
    EXPECT_GT(Delta(LateLabels(variant), kShort, cost.epsilon),
              1.3 * cost.delta);
  }
}

// A stream over both points, and what it may be answered with what probability.
const std::vector<Input>& Script() {
  static const std::vector<Input> kScript = [] {
    std::vector<Input> script;
    for (int i = 0; i < 9; ++i) {
      script.push_back(Visible(0, i % 4 != 1));
      script.push_back(Visible(1, i % 2 == 0));
      if (i == 3) script.push_back(Visible(-1, false));
    }
    return script;
  }();
  return kScript;
}

std::map<std::string, double> ViewDistribution() {
  std::map<std::pair<std::string, PointGame::State>, double> now;
  now[{"", {}}] = 1;
  const PointGame game = Game();
  for (const Input& input : Script()) {
    std::map<std::pair<std::string, PointGame::State>, double> next;
    for (const auto& [at, weight] : now) {
      for (const auto& outcome : game.Step(0, at.second, input)) {
        next[{at.first + (outcome.observation == 1 ? '1' : '0'),
              outcome.state}] += weight * outcome.probability;
      }
    }
    now = std::move(next);
  }
  std::map<std::string, double> views;
  for (const auto& [at, weight] : now) views[at.first] += weight;
  return views;
}

std::string Played(PointPredictor points, Rng& rng) {
  std::string view;
  for (const Input& input : Script()) {
    if (input.point < 0) {
      points.PlayEmptyRound();
      view += '0';
      continue;
    }
    const auto opened =
        points.Open({static_cast<std::uint64_t>(input.point), 0}, rng);
    view += opened.prediction ? '1' : '0';
    points.Close(opened.round, input.y);
  }
  return view;
}

// The solved game is the code that runs; false alarm 1e-6.
TEST(PointGameStatisticalTest, TheCodeAnswersByThisDistribution) {
  const auto distribution = ViewDistribution();
  std::map<std::string, std::size_t> places;
  std::vector<double> expected = {0};  // first: all that is rare
  for (const auto& [view, probability] : distribution) {
    if (probability < 1e-3) {
      expected[0] += probability;
      continue;
    }
    places[view] = expected.size();
    expected.push_back(probability);
  }
  EXPECT_GT(expected.size(), 10U);
  const auto points = PointPredictor::Create({.design = Design()});
  ASSERT_TRUE(points);
  testing::SeededRng rng(7);
  std::vector<std::uint64_t> seen(expected.size());
  for (int i = 0; i < 100'000; ++i) {
    const std::string view = Played(*points, rng);
    EXPECT_TRUE(distribution.contains(view)) << view;
    const auto place = places.find(view);
    ++seen[place == places.end() ? 0 : place->second];
  }
  EXPECT_GT(ChiSquaredPValue(seen, expected), 1e-6);
}

}  // namespace
}  // namespace sotto
