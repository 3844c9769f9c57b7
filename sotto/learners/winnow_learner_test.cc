#include "sotto/learners/winnow_learner.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sotto/learners/learner_test_tools.h"

namespace sotto {
namespace {

double Bound(double relevant, double inputs, double changes) {
  const double doublings = std::max(0.0, std::ceil(std::log2(inputs / 2)));
  const double u = relevant * ((changes + 1) * doublings + 5 * changes);
  return 23.0 / 7 * u + 32.0 / 7;
}

// Half of the examples have every relevant feature off: then an OR is hard.
FeatureVector SparseBits(std::size_t features, TestRng& rng) {
  std::vector<double> values(features);
  for (double& value : values) value = rng() % 8 == 0 ? 1 : 0;
  return Dense(values);
}

TEST(WinnowLearnerTest, KeepsToTheBoundOnRandomStreams) {
  TestRng rng(1);
  WinnowLearner learner({.features = 256});
  int mistakes = 0;
  for (int t = 0; t < 2000; ++t) {
    const auto x = SparseBits(256, rng);
    const bool y = ValueAt(x, 3) + ValueAt(x, 100) + ValueAt(x, 200) > 0;
    mistakes += Errs(learner, x, y) ? 1 : 0;
  }
  EXPECT_LT(mistakes, Bound(3, 256, 0));
  EXPECT_GE(mistakes, 10);
}

// Each relevant input alone with label 1 until it is learned, then many
// irrelevant inputs with label 0.
TEST(WinnowLearnerTest, KeepsToTheBoundAgainstAnAdversary) {
  constexpr std::uint32_t kFeatures = 64;
  WinnowLearner learner({.features = kFeatures});
  int mistakes = 0;
  for (std::uint32_t relevant = 0; relevant < 4; ++relevant) {
    FeatureVector x{{relevant, 1}};
    // With it, as many irrelevant ones as can be raised.
    for (std::uint32_t i = 4 + relevant * 15; i < 19 + relevant * 15; ++i) {
      x.push_back({i, 1});
    }
    for (int t = 0; t < 10; ++t) mistakes += Errs(learner, x, true) ? 1 : 0;
    for (std::uint32_t i = 0; i < 10; ++i) {
      FeatureVector irrelevant;
      for (std::uint32_t j = 4; j < kFeatures; ++j) {
        irrelevant.push_back({j, 1});
      }
      mistakes += Errs(learner, irrelevant, false) ? 1 : 0;
    }
  }
  EXPECT_LT(mistakes, Bound(4, kFeatures, 0));
  EXPECT_GE(mistakes, 10);
}

TEST(WinnowLearnerTest, LearnsNegatedLiteralsAndFollowsDrift) {
  TestRng rng(2);
  WinnowLearner learner({.features = 32, .negations = true});
  int mistakes = 0;
  int late = 0;
  for (std::uint32_t change = 0; change < 5; ++change) {
    for (int t = 0; t < 2000; ++t) {
      const auto x = RandomBits(32, rng);
      const bool y = ValueAt(x, change) > 0 || !(ValueAt(x, 10 + change) > 0);
      const bool wrong = Errs(learner, x, y);
      mistakes += wrong ? 1 : 0;
      late += wrong && t >= 1500 ? 1 : 0;
    }
  }
  EXPECT_LT(mistakes, Bound(2, 64, 4));
  EXPECT_LE(late, 5);
  EXPECT_GE(mistakes, 20);
}

TEST(WinnowLearnerTest, TakesFractionsAndClampsThem) {
  WinnowLearner learner({.features = 4});
  EXPECT_FALSE(learner.Predict(Dense({9, 0.5, -3, 0})));
  EXPECT_TRUE(learner.Predict(Dense({9, 0.5, 0.5, 0})));
}

TEST(WinnowLearnerTest, SavesAndLoads) {
  WinnowLearner learner({.features = 8});
  learner.Update(FeatureVector{{3, 1}}, true);
  ExpectRoundTrip(learner, WinnowLearner({.features = 8}));
}

}  // namespace
}  // namespace sotto
