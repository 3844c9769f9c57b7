#include "sotto/models/fits/greedy_cover/cover_delta.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "sotto/models/fits/greedy_cover/cover_calibration.h"
#include "sotto/models/fits/greedy_cover/cover_game.h"

namespace sotto {
namespace {

// An example of the small worlds below: the features that hold, and a label.
struct Example {
  unsigned features = 0;
  bool label = false;
};
using World = std::vector<Example>;
// The probability of every sequence of rules.
using Distribution = std::map<std::vector<int>, double>;

struct Weights {
  double penalty;
  double reward;
};

// The cover process, spelled out: rule 2f + b predicts b where feature f holds.
void Extend(const World& left, int features, Weights w, int rounds,
            double probability, std::vector<int>& rules,
            Distribution& distribution) {
  if (rounds == 0) {
    distribution[rules] += probability;
    return;
  }
  std::vector<double> weights;
  double total = 0;
  for (int rule = 0; rule < 2 * features; ++rule) {
    double score = 0;
    for (const Example& e : left) {
      if (((e.features >> (rule / 2)) & 1U) == 0) continue;
      score += e.label == (rule % 2 == 1) ? w.reward : -w.penalty;
    }
    weights.push_back(std::exp(score));
    total += weights.back();
  }
  for (int rule = 0; rule < 2 * features; ++rule) {
    World rest;
    for (const Example& e : left) {
      if (((e.features >> (rule / 2)) & 1U) == 0) rest.push_back(e);
    }
    rules.push_back(rule);
    Extend(rest, features, w, rounds - 1,
           probability * weights[static_cast<std::size_t>(rule)] / total, rules,
           distribution);
    rules.pop_back();
  }
}

Distribution ComputeDistribution(const World& world, int features, Weights w,
                                 int rounds) {
  Distribution distribution;
  std::vector<int> rules;
  Extend(world, features, w, rounds, 1, rules, distribution);
  return distribution;
}

double HockeyStick(const Distribution& p, const Distribution& q,
                   double epsilon) {
  double sum = 0;
  for (const auto& [rules, probability] : p) {
    sum += std::max(0.0, probability - std::exp(epsilon) * q.at(rules));
  }
  return sum;
}

std::vector<Example> AllExamples(int features) {
  std::vector<Example> all;
  for (unsigned f = 1; f < (1U << features); ++f) {
    all.push_back({f, false});
    all.push_back({f, true});
  }
  return all;
}

World With(World world, const Example& e) {
  world.push_back(e);
  return world;
}

struct Worst {
  double add_remove = 0;
  double replace = 0;
};

// The largest divergence over all worlds of `rows` rows and their neighbours,
// both directions.
Worst Search(int features, int rows, int rounds, Weights w, double epsilon) {
  const std::vector<Example> examples = AllExamples(features);
  std::vector<World> bases = {{}};
  for (int i = 1; i < rows; ++i) {
    std::vector<World> longer;
    for (const World& base : bases) {
      for (const Example& e : examples) longer.push_back(With(base, e));
    }
    bases = longer;
  }
  Worst worst;
  for (const World& base : bases) {
    const Distribution without = ComputeDistribution(base, features, w, rounds);
    std::vector<Distribution> with;
    for (const Example& e : examples) {
      with.push_back(ComputeDistribution(With(base, e), features, w, rounds));
      worst.add_remove = std::max({worst.add_remove,
                                   HockeyStick(with.back(), without, epsilon),
                                   HockeyStick(without, with.back(), epsilon)});
    }
    for (const Distribution& p : with) {
      for (const Distribution& q : with) {
        worst.replace = std::max(worst.replace, HockeyStick(p, q, epsilon));
      }
    }
  }
  return worst;
}

TEST(CoverDelta, IsTheKnownFormulaForErrorsAlone) {
  for (const double eta : {0.05, 0.3, 1.5}) {
    for (const double epsilon : {0.1, 1.0}) {
      const double known =
          (1 - std::exp(-eta)) * std::exp(-(epsilon + eta) / std::expm1(eta));
      EXPECT_NEAR(CoverDeltaWithRow({eta, 0}, epsilon) / known, 1, 1e-9);
      // The other direction is pure.
      EXPECT_LT(CoverDeltaWithoutRow({eta, 0}, eta), 1e-11);
    }
  }
}

TEST(CoverDelta, GivesTheWeightsOfTheReferenceTable) {
  // epsilon 1, delta 1e-6: 0.0915 for one row more, 0.0893 for another row.
  EXPECT_LE(CoverDelta({0.0915, 0}, Relation::kAddRemove, 1), 1e-6);
  EXPECT_GT(CoverDelta({0.0917, 0}, Relation::kAddRemove, 1), 1e-6);
  EXPECT_LE(CoverDelta({0.0892, 0}, Relation::kReplace, 1), 1e-6);
  EXPECT_GT(CoverDelta({0.0894, 0}, Relation::kReplace, 1), 1e-6);
}

TEST(CoverDelta, OfReplacementIsSymmetricAndDependsOnTheRangeAlone) {
  const double one = CoverDelta({0.2, 0}, Relation::kReplace, 1);
  EXPECT_NEAR(CoverDelta({0.15, 0.05}, Relation::kReplace, 1) / one, 1, 1e-9);
  EXPECT_NEAR(one, std::tanh(0.1) * std::exp(-1 / std::expm1(0.2)), 1e-12);
}

TEST(CoverDelta, IsContinuousAtItsCornerAndConvexInTheRatio) {
  for (const CoverWeights w :
       {CoverWeights{0.3, 0.1}, CoverWeights{0.2, 0.5}}) {
    const double corner = w.reward - w.penalty;
    EXPECT_NEAR(CoverDeltaWithRow(w, corner - 1e-9),
                CoverDeltaWithRow(w, corner + 1e-9), 1e-8);
    for (double y = 0.2; y < 3; y += 0.01) {
      const double middle = CoverDeltaWithRow(w, std::log(y));
      const double ends = CoverDeltaWithRow(w, std::log(y - 0.05)) +
                          CoverDeltaWithRow(w, std::log(y + 0.05));
      EXPECT_LE(middle, ends / 2 + 1e-12);
    }
  }
}

TEST(CoverDelta, PromisesNothingForArgumentsOutOfRange) {
  EXPECT_EQ(CoverDelta({-1, 0}, Relation::kReplace, 1), 1);
  EXPECT_EQ(CoverDelta({0.1, 0}, Relation::kReplace, -1), 1);
  EXPECT_EQ(CoverDelta({0.1, 0}, Relation::kChangeByOne, 1), 1);
  EXPECT_EQ(CoverDelta({std::nan(""), 0}, Relation::kReplace, 1), 1);
}

// Step 6 of the page, all y at once: what may happen to one of two rows lies
// below the tangent of the value of both.
TEST(CoverDelta, OfOneRowLiesBelowTheTangentOfTwo) {
  for (const double a : {0.05, 0.4, 2.0}) {
    for (const double b : {0.0, 0.02, 0.4, 1.0}) {
      const double range = a + b;
      const CoverWeights both{range, range};
      for (double x = -3 * range; x < 6 * range; x += range / 37) {
        const double y = std::exp(x);
        const double growth = std::expm1(range);  // A
        const double top = std::tanh(range / 2);
        const double slope =
            x <= 0 ? -1 + top * (1 + 1 / growth) * std::exp(x / growth)
                   : -top / growth * std::exp(-x * (1 + 1 / growth));
        const auto tangent = [&](double z) {
          return CoverDeltaWithRow(both, x) + slope * (z - y) + 1e-10;
        };
        EXPECT_LE(CoverDeltaWithRow({a, b}, x + b), tangent(y * std::exp(b)));
        EXPECT_LE(CoverDeltaWithRow({a, b}, x - a), tangent(y * std::exp(-a)));
        EXPECT_LE(CoverDeltaWithoutRow({a, b}, x + a),
                  tangent(y * std::exp(a)));
        EXPECT_LE(CoverDeltaWithoutRow({a, b}, x - b),
                  tangent(y * std::exp(-b)));
      }
    }
  }
}

TEST(CoverGame, IsNeverBelowAnExhaustiveSearch) {
  struct Case {
    int features, rows, rounds;
  };
  for (const auto [features, rows, rounds] :
       {Case{2, 1, 3}, Case{2, 2, 2}, Case{3, 1, 2}}) {
    for (const std::uint32_t reward : {0U, 1U, 4U}) {
      for (const double unit : {0.1, 0.3}) {
        for (const double epsilon : {0.05, 0.3}) {
          const Weights w{4 * unit, reward * unit};
          const Worst worst = Search(features, rows, rounds, w, epsilon);
          const CoverWeights weights{w.penalty, w.reward};
          CoverGame game{.penalty = 4,
                         .reward = reward,
                         .unit = unit,
                         .rounds = static_cast<std::uint32_t>(rounds)};
          const double replace = *CoverGameDelta(game, epsilon);
          game.relation = Relation::kAddRemove;
          const double add_remove = *CoverGameDelta(game, epsilon);
          EXPECT_LE(worst.replace, replace);
          EXPECT_LE(worst.add_remove, add_remove);
          EXPECT_LE(replace,
                    CoverDelta(weights, Relation::kReplace, epsilon) * 1.001);
          EXPECT_LE(add_remove,
                    CoverDelta(weights, Relation::kAddRemove, epsilon) * 1.001);
          EXPECT_GT(worst.replace, 0);
        }
      }
    }
  }
}

TEST(CoverGame, OfOneRoundIsTheOneDrawOfTwoRules) {
  // Two rules, one data set for and one against: the weights differ by the
  // range, and delta is known.
  const double range = 0.6;
  const double epsilon = 0.2;
  const double root = std::exp(range);  // sqrt of e^(2 range)
  const double known =
      std::pow(root - std::exp(epsilon / 2), 2) / std::expm1(2 * range);
  const double delta =
      *CoverGameDelta({.penalty = 1, .unit = range, .rounds = 1}, epsilon);
  EXPECT_GE(delta, known);
  EXPECT_LE(delta, known * 1.01);
}

TEST(CoverGame, RefusesWhatItCannotSolve) {
  EXPECT_FALSE(CoverGameDelta({.penalty = 1, .unit = 0.1, .rounds = 0}, 1));
  EXPECT_FALSE(CoverGameDelta({.penalty = 0, .unit = 0.1, .rounds = 1}, 1));
  EXPECT_FALSE(CoverGameDelta({.penalty = 1, .unit = 1e-9, .rounds = 1}, 1));
  EXPECT_FALSE(CoverGameDelta({.penalty = 1, .unit = 0.1, .rounds = 1}, -1));
}

// Data that wait: a rule covers the row in question with probability p in each
// round, until it is drawn. The rows differ in their label.
double LongWait(double range, std::uint32_t rounds, double epsilon) {
  double best = 0;
  for (double p = 0.001; p < 0.9; p *= 1.01) {
    const double never = std::pow(1 - p, rounds);
    const double ratio = std::pow(1 + p * std::expm1(range), rounds);
    best = std::max(best, never * (1 - std::exp(epsilon) / ratio));
  }
  return best;
}

TEST(CoverCalibration, IsTightAndATwinWithLargerWeightsIsRefuted) {
  for (const std::uint32_t rounds : {30U, 1000U}) {
    const double delta = 1e-4;
    const auto exact = CoverCalibration::Create({.epsilon = 1,
                                                 .delta = delta,
                                                 .penalty = 5,
                                                 .reward = 1,
                                                 .rounds = rounds,
                                                 .candidates = 500});
    ASSERT_TRUE(exact);
    const double range = 6 * exact->rate().ToDoubleUp();
    EXPECT_LE(exact->delta(), delta);
    EXPECT_LE(LongWait(range, rounds, 1), delta);
    EXPECT_GE(LongWait(range, rounds, 1), 0.4 * delta);
    EXPECT_GT(LongWait(1.2 * range, rounds, 1), delta);
  }
}

TEST(CoverCalibration, AllowsMoreThanNaiveComposition) {
  const auto range = [](std::uint32_t rounds) {
    return CoverCalibration::Create({.epsilon = 1,
                                     .delta = 1e-6,
                                     .rounds = rounds,
                                     .candidates = 500})
        ->rate()
        .ToDoubleUp();
  };
  const double short_list = range(31);
  const double long_list = range(1000);
  EXPECT_GT(short_list, 3 * (1.0 / 31));
  EXPECT_GT(long_list, 89 * (1.0 / 1000));
  // Bounded-range composition, range^2 / 8 of zCDP a draw: rho = 0.0175.
  EXPECT_GT(short_list, 1.5 * std::sqrt(8 * 0.0175 / 31));
  EXPECT_NEAR(long_list, 0.0893, 1e-4);
  EXPECT_NEAR(short_list, 0.1045, 5e-4);
}

TEST(CoverCalibration, OfThePaperIsMoreThanFiveTimesSmaller) {
  CoverCalibration::Params params{
      .epsilon = 1, .delta = 1e-6, .rounds = 200, .candidates = 500};
  const double exact = CoverCalibration::Create(params)->rate().ToDoubleUp();
  params.method = CoverCalibration::Method::kPaper;
  const double paper = CoverCalibration::Create(params)->rate().ToDoubleUp();
  EXPECT_NEAR(paper, 0.0163, 1e-4);
  EXPECT_GT(exact, 5 * paper);
}

TEST(CoverCalibration, RefusesWhatIsOutOfRange) {
  const CoverCalibration::Params good{
      .epsilon = 1, .delta = 1e-6, .rounds = 200, .candidates = 500};
  ASSERT_TRUE(CoverCalibration::Create(good));
  const auto refused = [&](auto change) {
    CoverCalibration::Params bad = good;
    change(bad);
    return !CoverCalibration::Create(bad).has_value();
  };
  EXPECT_TRUE(refused([](auto& p) { p.epsilon = 0; }));
  EXPECT_TRUE(refused([](auto& p) { p.epsilon = std::nan(""); }));
  EXPECT_TRUE(refused([](auto& p) { p.delta = 0; }));
  EXPECT_TRUE(refused([](auto& p) { p.reward = 2; }));
  EXPECT_TRUE(refused([](auto& p) { p.penalty = 101; }));
  EXPECT_TRUE(refused([](auto& p) { p.rounds = 0; }));
  EXPECT_TRUE(refused([](auto& p) { p.candidates = 1; }));
  EXPECT_TRUE(refused([](auto& p) { p.relation = Relation::kChangeByOne; }));
}

}  // namespace
}  // namespace sotto
