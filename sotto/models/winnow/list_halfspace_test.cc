#include "sotto/models/winnow/list_halfspace.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "sotto/models/winnow/dp_winnow.h"
#include "sotto/models/winnow/private_winnow.h"
#include "sotto/testing/seeded_rng.h"

namespace sotto {
namespace {

using testing::SeededRng;

FeatureVector Bits(unsigned bits, std::uint32_t features) {
  FeatureVector x;
  for (std::uint32_t j = 0; j < features; ++j) {
    if (((bits >> j) & 1) != 0) x.push_back({j, 1.0});
  }
  return x;
}

double GetValue(const ListHalfspace& h, FeatureView x) {
  double value = h.bias;
  for (const Feature& f : h.weights) value += f.value * ValueAt(x, f.index);
  return value;
}

// All lists of five rules in one order of the features, all inputs.
// Printed lines: [Winnow] Lemma 15: the halfspace, point by point.
TEST(DecisionListTest, TheHalfspaceAgreesWithTheListAtItsMargin) {
  for (unsigned outputs = 0; outputs < 64; ++outputs) {
    std::vector<LiteralRule> rules;
    for (std::uint32_t i = 0; i < 5; ++i) {
      rules.push_back({(3 * i) % 5, ((outputs >> i) & 1) != 0});
    }
    const bool otherwise = (outputs >> 5) != 0;
    const auto halfspace = HalfspaceOfList(rules, otherwise);
    ASSERT_TRUE(halfspace);
    double norm = std::abs(halfspace->bias);
    for (const Feature& f : halfspace->weights) norm += std::abs(f.value);
    EXPECT_NEAR(norm, 1, 1e-12);
    double least = 1;
    for (unsigned bits = 0; bits < 32; ++bits) {
      const FeatureVector x = Bits(bits, 5);
      const double value = GetValue(*halfspace, x);
      const bool label = EvaluateList(rules, otherwise, x);
      least = std::min(least, label ? value : -value);
    }
    EXPECT_NEAR(least, halfspace->margin, 1e-12);
    const int changes = Alternations(rules, otherwise);
    EXPECT_GE(halfspace->margin,
              ListMargin(5, static_cast<std::uint32_t>(changes)));
  }
}

TEST(DecisionListTest, TheMarginFallsLikeOneOverLengthToTheAlternations) {
  EXPECT_EQ(ListMargin(7, 0), 1);
  EXPECT_NEAR(ListMargin(9, 1), 1.0 / 20, 1e-9);
  EXPECT_NEAR(ListMargin(10, 2), 1.0 / 72, 1e-9);
  EXPECT_NEAR(ListMargin(12, 3), 1.0 / 250, 1e-9);
}

TEST(DecisionListTest, RefusesAFeatureThatOccursTwice) {
  const std::vector<LiteralRule> rules = {{1, true}, {1, false}};
  EXPECT_FALSE(HalfspaceOfList(rules, true));
}

TEST(DecisionListTest, LiteralsSayTrueOrFalseOfEveryFeature) {
  const FeatureVector x = {{1, 1.0}, {3, 0.0}};
  const FeatureVector literals = Literals(x, 4);
  const FeatureVector expected = {{1, 1.0}, {2, 1.0}, {5, 1.0}, {7, 1.0}};
  EXPECT_EQ(literals, expected);
}

// if not x4 then yes, else if x2 then no, else yes; D = 2.
TEST(DecisionListTest, WinnowLearnsAListOnline) {
  const std::vector<LiteralRule> rules = {{9, true}, {4, false}};
  auto winnow = PrivateWinnow::Create({.epsilon = 4,
                                       .delta = 1e-6,
                                       .features = 16,
                                       .bias = true,
                                       .max_norm = 3,
                                       .margin = ListMargin(2, 2),
                                       .horizon = 20'000});
  ASSERT_TRUE(winnow) << winnow.error().message;
  SeededRng data(31);
  SeededRng noise(32);
  int mistakes = 0;
  int late = 0;
  for (int t = 0; t < 20'000; ++t) {
    const auto bits = static_cast<unsigned>(data.Next() >> 56);
    const FeatureVector x = Literals(Bits(bits, 8), 8);
    const bool y = EvaluateList(rules, true, x);
    auto round = winnow->Open(x, noise);
    ASSERT_TRUE(round);
    mistakes += round->prediction != y ? 1 : 0;
    late += t >= 18'000 && round->prediction != y ? 1 : 0;
    winnow->Close(*std::move(round), y);
  }
  EXPECT_LT(mistakes, 1500);
  EXPECT_LT(late, 40);
}

TEST(DecisionListTest, PointsAreHalfspacesWithMarginOne) {
  for (std::uint32_t t = 0; t < 9; ++t) {
    for (std::uint32_t x = 0; x < 9; ++x) {
      // The weights of p_t are the t-th unit vector.
      const double value = ValueAt(PointEmbedding(x, 9), t);
      EXPECT_EQ(value, x == t ? 1 : -1);
    }
  }
}

// Mistakes on the embedded points {0, ..., n - 1}, n = T: half of the rounds
// ask for the secret point, the others for any, until the learner is right
// twenty times in a row on the secret.
double MistakesOnPoints(std::uint32_t n, std::uint64_t seed) {
  auto winnow = DpWinnow::Create({.epsilon = 8,
                                  .delta = 1e-3,
                                  .features = n,
                                  .signs = false,
                                  .margin = 1,
                                  .horizon = n,
                                  .form = DpWinnow::Form::kBatch});
  if (!winnow) return -1;
  SeededRng data(seed);
  SeededRng noise(seed + 77);
  const auto secret = static_cast<std::uint32_t>(data.Next() % n);
  int mistakes = 0;
  int streak = 0;
  while (streak < 20) {
    const bool ask = (data.Next() & 1) != 0;
    const auto x = ask ? secret : static_cast<std::uint32_t>(data.Next() % n);
    auto round = winnow->Open(PointEmbedding(x, n), noise);
    if (!round) return -1;
    const bool y = x == secret;
    const bool wrong = round->prediction != y;
    mistakes += wrong ? 1 : 0;
    if (y) streak = wrong ? 0 : streak + 1;
    winnow->Close(*std::move(round), y);
  }
  return mistakes;
}

// An illustration, not the regime of the lower bound, which is for epsilon 1/2:
// DP-Winnow makes more mistakes, the more points there are. Means of four runs.
TEST(DecisionListTest, MistakesOfDpWinnowOnEmbeddedPointsGrow) {
  double means[2] = {0, 0};
  for (std::uint64_t run = 0; run < 4; ++run) {
    means[0] += MistakesOnPoints(16, 100 + run) / 4;
    means[1] += MistakesOnPoints(256, 100 + run) / 4;
  }
  EXPECT_GT(means[0], std::log(16.0));
  EXPECT_GT(means[1], std::log(256.0));
  EXPECT_GT(means[1], 1.3 * means[0]);
}

}  // namespace
}  // namespace sotto
