// RectanglesPERP on small instances, exactly: all adaptive adversaries, both
// directions.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <compare>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "sotto/accounting/stopped_process.h"
#include "sotto/models/papers/sliced_cost.h"
#include "sotto/models/papers/sliced_predictor.h"
#include "sotto/models/papers/sliced_test_distribution.h"
#include "sotto/testing/exact_game.h"
#include "sotto/testing/seeded_rng.h"
#include "sotto/testing/statistics.h"

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

TEST(SlicedGameExactTest,
     ATrainingRecordCostsOneTestOnEachSideInTheFirstPhase) {
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

TEST(SlicedGameExactTest, ARecordThatStaysForTheSecondPhaseIsRefuted) {
  SlicedRules rules = Trained({0, 0, 1}, {0, 1});
  rules.lengths = {1, 9};
  EXPECT_LE(WorstRatio(rules), Slices(1));
  rules.lengths = {9};
  EXPECT_GT(WorstRatio(rules), 1.5 * Slices(1));
}

// The secret part of the sizes is not needed for these costs.
TEST(SlicedGameExactTest, SlicesOfPublicSizeCostNoMore) {
  for (const bool replaced : {false, true}) {
    SlicedRules rules = Trained({0, 0, 1}, replaced ? std::vector<int>{0, 1, 1}
                                                    : std::vector<int>{0, 1});
    rules.most_more = 0;
    EXPECT_LE(WorstRatio(rules), Slices(2));
  }
}

TEST(SlicedGameExactTest, AHiddenQueryCostsTheLargerOfTwoNotTheirSum) {
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

TEST(SlicedGameExactTest, AReplacedQueryCostsTheirSumOrTwoMediumsAtMost) {
  SlicedRules rules = Rules({2, 9});
  rules.replace = true;
  EXPECT_LE(WorstRatio(rules), Medium(1) * std::max(Medium(1), Slices(1)));
}

TEST(SlicedGameExactTest, AMediumThatIsAlsoKeptForTheNextPhaseIsRefuted) {
  SlicedRules rules = Rules({2, 9});
  rules.medium_to_next_phase = true;
  EXPECT_GT(WorstRatio(rules), 1.1 * std::max(Medium(1), Slices(1)));
}

TEST(SlicedGameExactTest, NoStoppingQueryInAnEmptyRoundIsRefuted) {
  SlicedRules rules = Rules({9});
  rules.skip_stopping_if_absent = true;
  EXPECT_TRUE(std::isinf(WorstRatio(rules)));
}

TEST(SlicedGameExactTest, AnExactCountOfMediumsIsRefuted) {
  SlicedRules rules = Rules({9});
  rules.exact_stopper = true;
  EXPECT_TRUE(std::isinf(WorstRatio(rules)));
}

// --- The game is the code that runs: two phases, drawn.

// Small copies with a narrow band, so that every outcome is frequent.
constexpr SideNoise kDrawn{
    .rate = 0.2, .low = 0, .high = 3, .size = 3, .limit = 2, .stopper = 0.6};
constexpr std::uint64_t kDrawnLength = 2;

Result<BoundaryPhases> DrawnPhases() {
  const BoundaryTarget target{.epsilon = 16,
                              .delta = 0.7,
                              .relation = Relation::kAddRemove,
                              .sides = 2,
                              .error = 0.5};
  const std::vector<BoundaryPhase> phases(2, {kDrawnLength, kDrawn, kDrawn});
  SOTTO_TRY_ASSIGN(auto schedule,
                   BoundarySchedule(target.delta, BoundaryLengths(phases)));
  return BoundaryPhases{target, phases, std::move(schedule)};
}

const std::vector<int> kRows = {0, 0, 1, 2, 2, 3, 3};
// -1: no query.
const std::vector<int> kScript = {1, 2, -1, 1};

// A play as text: answers and how many copies have halted so far.
using Play = std::string;

Play Record(bool inside, bool medium, std::uint64_t halts) {
  return std::string(inside   ? "1"
                     : medium ? "m"
                              : "0") +
         std::to_string(halts) + " ";
}

// Every play of the script with its probability.
std::map<Play, double> ExactPlays(const SlicedRules& rules) {
  const SlicedDistribution game(rules);
  struct At {
    Play play;
    SlicedDistribution::State state;
    std::uint64_t halts = 0;
    auto operator<=>(const At&) const = default;
  };
  std::map<At, double> now;
  for (const auto& [weight, state] : game.Initial(World::kP)) {
    now[{"", state, 0}] += weight;
  }
  SlicedDistribution::Context context = game.Start();
  for (const int x : kScript) {
    std::map<At, double> next;
    for (const auto& [at, weight] : now) {
      for (const auto& step :
           game.Step(World::kP, context, at.state, {x, x, false})) {
        At then{at.play, step.state, at.halts};
        then.halts +=
            static_cast<std::uint64_t>(std::popcount(step.observation.halted));
        const int zone = step.observation.zone;
        const bool inside = x >= 0 && zone == 0;
        then.play += Record(inside, zone == 1, then.halts);
        next[then] += weight * step.probability;
      }
    }
    now = std::move(next);
    context = game.Next(context, {}, {});
  }
  std::map<Play, double> plays;
  for (const auto& [at, weight] : now) plays[at.play] += weight;
  return plays;
}

Result<Play> PlayOnce(const BoundaryPhases& phases, Rng& rng) {
  OutermostPoints points = SlicedPredictor::MakePoints(phases, 0);
  for (const int x : kRows) points.Add({static_cast<double>(x)});
  SOTTO_TRY_ASSIGN(
      auto box, SlicedPredictor::Create({0}, phases, std::move(points), rng));
  Play play;
  for (const int x : kScript) {
    SlicedPredictor::Answered answer;
    if (x < 0) {
      box.PlayEmptyRound(rng);
    } else {
      answer = box.Answer(FeatureVector{{0, static_cast<double>(x)}}, rng);
    }
    play += Record(x >= 0 && answer.inside, answer.undecided, box.restarts());
  }
  return play;
}

// False alarm 1e-6.
TEST(SlicedStatisticalTest, TheCodeAnswersByThisDistribution) {
  constexpr std::uint64_t kPlays = 5'000;
  const auto phases = DrawnPhases();
  ASSERT_TRUE(phases);
  SlicedRules rules{.points = 4,
                    .theta = std::exp(-kDrawn.rate),
                    .stopper_theta = std::exp(-kDrawn.stopper),
                    .size_theta = std::exp(-SliceSizeRate(*phases, 0)),
                    .low = static_cast<int>(kDrawn.low),
                    .high = static_cast<int>(kDrawn.high),
                    .size = static_cast<int>(kDrawn.size),
                    .limit = static_cast<int>(kDrawn.limit),
                    .lengths = {2, 2},
                    .training_p = kRows};
  const auto exact = ExactPlays(rules);
  std::map<Play, std::size_t> places;
  constexpr double kRare = 2.0 * kMinExpectedCount / kPlays;
  std::vector<double> expected = {0};  // first: all rare ones
  for (const auto& [play, weight] : exact) {
    places[play] = weight < kRare ? 0 : expected.size();
    if (weight < kRare) {
      expected[0] += weight;
    } else {
      expected.push_back(weight);
    }
  }
  ASSERT_GT(expected.size(), 20u);
  std::vector<std::uint64_t> seen(expected.size());
  testing::SeededRng rng(11);
  for (std::uint64_t i = 0; i < kPlays; ++i) {
    const auto play = PlayOnce(*phases, rng);
    ASSERT_TRUE(play) << play.error().message;
    ASSERT_TRUE(places.contains(*play)) << *play;
    ++seen[places[*play]];
  }
  EXPECT_GT(ChiSquaredPValue(seen, expected), 1e-6);
}

}  // namespace
}  // namespace sotto
