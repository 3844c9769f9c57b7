#include "sotto/learners/confident_winnow.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sotto/learners/learner_test_tools.h"

namespace sotto {
namespace {

using Params = ConfidentWinnow::Params;

// In {-1, 1}, label and margin by (x0 + x1 + x2) / 3: a third, or one.
FeatureVector Signs(std::size_t features, TestRng& rng) {
  auto x = RandomBits(features, rng);
  for (Feature& feature : x) feature.value = 2 * feature.value - 1;
  return x;
}

double Combination(FeatureView x) {
  return (ValueAt(x, 0) + ValueAt(x, 1) + ValueAt(x, 2)) / 3;
}

TEST(ConfidentWinnowTest, RejectsParametersOutsideTheContract) {
  for (const Params& bad :
       {Params{.features = 0}, Params{.margin = 0}, Params{.margin = 1.5},
        Params{.confidence = 1}, Params{.confidence = -0.1}, Params{.rate = -1},
        Params{.margin = 0.1, .rate = 0.2}, Params{.margin = std::nan("")}}) {
    const auto learner = ConfidentWinnow::Create(bad);
    ASSERT_FALSE(learner);
    EXPECT_EQ(learner.error().code, ErrorCode::kInvalidArgument);
  }
}

TEST(ConfidentWinnowTest, KeepsToTheUpdateBound) {
  TestRng rng(1);
  for (const double confidence : {0.0, 0.4}) {
    for (const bool nonnegative : {true, false}) {
      auto learner = ConfidentWinnow::Create({.features = 100,
                                              .margin = 1.0 / 3,
                                              .confidence = confidence,
                                              .nonnegative = nonnegative});
      ASSERT_TRUE(learner);
      int updates = 0;
      int mistakes = 0;
      for (int t = 0; t < 600; ++t) {
        const auto x = Signs(100, rng);
        const std::string before = Saved(*learner);
        const bool wrong = Errs(*learner, x, Combination(x) > 0);
        const bool updated = Saved(*learner) != before;
        ASSERT_TRUE(updated || !wrong);
        updates += updated ? 1 : 0;
        mistakes += wrong ? 1 : 0;
      }
      EXPECT_LE(updates, learner->mistake_bound());
      EXPECT_LE(mistakes, updates);
      EXPECT_GE(updates, 10);
    }
  }
}

// Weights on the simplex from the definition, against the folded ones.
// Printed lines: [Winnow] Alg. 2: the same predictions.
TEST(ConfidentWinnowTest, EqualsTheAlgorithmOnDoubledInputs) {
  TestRng rng(2);
  constexpr double kMargin = 1.0 / 3;
  constexpr double kConfidence = 0.4;
  constexpr double kRate = (1 - kConfidence) * kMargin;
  auto learner = ConfidentWinnow::Create(
      {.features = 6, .margin = kMargin, .confidence = kConfidence});
  std::vector<double> weights(14, 1.0 / 14);
  for (int t = 0; t < 300; ++t) {
    const auto x = Signs(6, rng);
    std::vector<double> inputs;
    for (const double sign : {1.0, -1.0}) {
      for (const Feature& feature : x) inputs.push_back(sign * feature.value);
      inputs.push_back(sign);
    }
    double score = 0;
    for (std::size_t i = 0; i < 14; ++i) score += weights[i] * inputs[i];
    ASSERT_NEAR(learner->Score(x), score, 1e-12);
    const double y = Combination(x) > 0 ? 1 : -1;
    learner->Update(x, y > 0);
    // Scores as close as rounding would make the two differ by chance.
    if (y * score > kConfidence * kMargin + 1e-9) continue;
    ASSERT_LT(y * score, kConfidence * kMargin - 1e-9);
    double total = 0;
    for (std::size_t i = 0; i < 14; ++i) {
      total += weights[i] *= std::exp(kRate * y * inputs[i]);
    }
    for (double& weight : weights) weight /= total;
  }
}

TEST(ConfidentWinnowTest, SavesAndLoads) {
  const Params params{.features = 3};
  auto learner = ConfidentWinnow::Create(params);
  learner->Update(Dense({1, -1, 0.5}), true);
  ExpectRoundTrip(*learner, *ConfidentWinnow::Create(params));
}

}  // namespace
}  // namespace sotto
