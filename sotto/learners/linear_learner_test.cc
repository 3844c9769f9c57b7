#include "sotto/learners/linear_learner.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "sotto/learners/learner_test_tools.h"

namespace sotto {
namespace {

// The unit vector along (1, 1, 1, 1, 1, bias 0): its margin on the examples is
// at least kMargin.
constexpr std::size_t kFeatures = 5;
constexpr double kMargin = 0.1;

struct Example {
  FeatureVector x;
  bool y;
};

Example RandomExample(TestRng& rng) {
  while (true) {
    std::vector<double> values(kFeatures);
    double sum = 0;
    for (double& value : values) sum += value = 2 * Uniform(rng) - 1;
    if (std::abs(sum) / std::sqrt(kFeatures) < kMargin) continue;
    return {Dense(values), sum > 0};
  }
}

TEST(LinearLearnerTest, SumsInAscendingOrderByFusedSteps) {
  PerceptronLearner learner(3);
  const auto x = Dense({0.1, 0.7, -0.3});
  learner.Update(x, false);
  learner.Update(Dense({-0.7, 0.1, 0.9}), true);
  const auto w = learner.weights();
  ASSERT_EQ(w.size(), 4);
  double score = 0;
  score = std::fma(w[0], 0.1, score);
  score = std::fma(w[1], 0.7, score);
  score = std::fma(w[2], -0.3, score);
  score = std::fma(w[3], 1.0, score);
  EXPECT_EQ(learner.Score(x), score);
  EXPECT_NE(score, 0);
}

TEST(LinearLearnerTest, StepsByTheRulesMultiplier) {
  EXPECT_EQ(PerceptronStep(0, true), 0);
  EXPECT_EQ(PerceptronStep(0, false), -1);
  EXPECT_EQ(PerceptronStep(-0.1, true), 1);
  EXPECT_EQ(PerceptronStep(-0.1, false), 0);
  EXPECT_DOUBLE_EQ(LogisticStep(0, true, 0.2), 0.1);
  EXPECT_DOUBLE_EQ(LogisticStep(std::log(3), false, 1), -0.75);
  EXPECT_EQ(LogisticStep(-1e6, false, 1), 0);
  EXPECT_EQ(LogisticStep(-1e6, true, 1), 1);
}

TEST(LinearLearnerTest, IgnoresFeaturesPastTheLast) {
  PerceptronLearner learner(2);
  learner.Update(FeatureVector{{0, 1}, {2, 5}, {9, 7}}, false);
  EXPECT_EQ(learner.weights()[0], -1);
  EXPECT_EQ(learner.weights()[2], -1);  // The bias.
  EXPECT_EQ(learner.Score(FeatureVector{{2, 5}}), -1);
}

TEST(LinearLearnerTest, AStepOfZeroKeepsEveryBit) {
  std::vector<double> weights{-0.0, 2, -0.0};
  LinearStep(0, Dense({1, 1}), weights);
  EXPECT_TRUE(std::signbit(weights[0]));
  EXPECT_TRUE(std::signbit(weights[2]));
}

TEST(PerceptronLearnerTest, KeepsToTheMarginBound) {
  TestRng rng(1);
  PerceptronLearner learner(kFeatures);
  int mistakes = 0;
  for (int t = 0; t < 20000; ++t) {
    const auto [x, y] = RandomExample(rng);
    mistakes += Errs(learner, x, y) ? 1 : 0;
  }
  EXPECT_LE(mistakes, (kFeatures + 1) / (kMargin * kMargin));
  EXPECT_GE(mistakes, 5);
}

// Orthogonal unit vectors, each called wrong: without bias this meets the bound
// exactly; with it, it stays below.
TEST(PerceptronLearnerTest, KeepsToTheMarginBoundAgainstAnAdversary) {
  constexpr std::uint32_t kAxes = 50;
  PerceptronLearner learner(kAxes);
  std::vector<double> target(kAxes);
  int mistakes = 0;
  for (int pass = 0; pass < 100; ++pass) {
    for (std::uint32_t i = 0; i < kAxes; ++i) {
      const FeatureVector x{{i, 1}};
      if (pass == 0) target[i] = learner.Predict(x) ? -1 : 1;
      mistakes += Errs(learner, x, target[i] > 0) ? 1 : 0;
    }
  }
  // u = target / sqrt(50), margin 1 / sqrt(50), R^2 = 2.
  EXPECT_LE(mistakes, 2 * kAxes);
  EXPECT_GE(mistakes, static_cast<int>(kAxes));
}

TEST(LogisticLearnerTest, KeepsToItsBounds) {
  TestRng rng(2);
  constexpr double kRate = 0.1;
  LogisticLearner learner(kFeatures, {.rate = kRate});
  // Compared with u = 10 (1, ..., 1).
  constexpr double kScale = 10;
  double own_loss = 0;
  double loss = 0;
  int mistakes = 0;
  constexpr int kRounds = 2000;
  for (int t = 0; t < kRounds; ++t) {
    auto [x, y] = RandomExample(rng);
    if (rng() % 50 == 0) y = !y;
    double sum = 0;
    for (const Feature& feature : x) sum += kScale * feature.value;
    loss += std::log1p(std::exp(y ? -sum : sum));
    const double score = learner.Score(x);
    own_loss += std::log1p(std::exp(y ? -score : score));
    mistakes += Errs(learner, x, y) ? 1 : 0;
  }
  const double squared_norm = kScale * kScale * kFeatures;
  const double squared_radius = kFeatures + 1;
  EXPECT_LE(own_loss - loss,
            squared_norm / (2 * kRate) + kRate * squared_radius * kRounds / 2);
  EXPECT_LE(mistakes,
            (loss + squared_norm / (2 * kRate)) /
                ((1 - kRate * squared_radius / 3) * std::numbers::ln2));
  // Close to the 2 % of wrong labels, so that it learned.
  EXPECT_LE(mistakes, kRounds / 10);
}

TEST(LinearLearnerTest, SavesAndLoads) {
  TestRng rng(3);
  LogisticLearner learner(kFeatures);
  for (int t = 0; t < 10; ++t) {
    const auto [x, y] = RandomExample(rng);
    learner.Update(x, y);
  }
  ExpectRoundTrip(learner, LogisticLearner(kFeatures));
}

}  // namespace
}  // namespace sotto
