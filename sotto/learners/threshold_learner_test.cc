#include "sotto/learners/threshold_learner.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "sotto/learners/learner_test_tools.h"

namespace sotto {
namespace {

TEST(ThresholdLearnerTest, PredictsExactlyFromItsThresholdOn) {
  ThresholdLearner learner;
  EXPECT_EQ(learner.threshold(), 0.5);
  TestRng rng(1);
  for (int t = 0; t < 2000; ++t) {
    const double x = 1.2 * Uniform(rng) - 0.1;
    ASSERT_EQ(learner.Predict(Number(x)), x >= learner.threshold());
    ASSERT_TRUE(learner.Predict(Number(learner.threshold())));
    ASSERT_FALSE(
        learner.Predict(Number(std::nextafter(learner.threshold(), -1))));
    learner.Update(Number(x), (rng() & 1) != 0);
  }
}

// Asks for the grid point nearest to the threshold on the side that leaves more
// of the interval, and calls the answer wrong.
TEST(ThresholdLearnerTest, MakesOneMistakePerBitAgainstTheWorstAdversary) {
  for (const int bits : {1, 5, 20, 53}) {
    ThresholdLearner learner;
    const double step = std::ldexp(1.0, -bits);
    double below = 0;
    double above = 1;
    int mistakes = 0;
    while (above - below >= 2 * step) {
      const double x =
          std::ceil(((below + above) / 2 - step / 4) / step) * step;
      ASSERT_LT(below, x);
      ASSERT_LT(x, above);
      const bool y = !learner.Predict(Number(x));
      mistakes += Errs(learner, Number(x), y) ? 1 : 0;
      (y ? above : below) = x;
    }
    EXPECT_EQ(mistakes, bits);
    EXPECT_FALSE(learner.Predict(Number(below)));
    EXPECT_TRUE(learner.Predict(Number(above)));
  }
}

TEST(ThresholdLearnerTest, KeepsToTheBoundOnRandomGridStreams) {
  TestRng rng(2);
  int worst = 0;
  for (int run = 0; run < 300; ++run) {
    ThresholdLearner learner({.low = -32, .high = 96});  // 2^7 steps of 1.
    const auto theta = static_cast<double>(rng() % 128) - 31;
    int mistakes = 0;
    for (int t = 0; t < 400; ++t) {
      const auto x = static_cast<double>(rng() % 129) - 32;
      mistakes += Errs(learner, Number(x), x >= theta) ? 1 : 0;
    }
    worst = std::max(worst, mistakes);
  }
  EXPECT_LE(worst, 7);
  EXPECT_GE(worst, 3) << "the streams are too easy to test anything";
}

TEST(ThresholdLearnerTest, SeparatesNeighbouringDoubles) {
  const double below = std::nextafter(0.3, 0);
  for (const auto& [zero, one] :
       {std::pair(below, 0.3), std::pair(0.3, std::nextafter(0.3, 1))}) {
    ThresholdLearner learner;
    learner.Update(Number(zero), false);
    learner.Update(Number(one), true);
    EXPECT_FALSE(learner.Predict(Number(zero)));
    EXPECT_TRUE(learner.Predict(Number(one)));
  }
}

TEST(ThresholdLearnerTest, BelievesAContradictionAndReopensTheOtherSide) {
  ThresholdLearner down;
  down.Update(Number(0.5), false);
  down.Update(Number(0.25), true);
  EXPECT_EQ(down.threshold(), 0.125);
  ThresholdLearner up;
  up.Update(Number(0.5), true);
  up.Update(Number(0.75), false);
  EXPECT_EQ(up.threshold(), 0.875);
}

TEST(ThresholdLearnerTest, FollowsDriftWithinItsBound) {
  constexpr int kBits = 10;
  constexpr int kChanges = 20;
  TestRng rng(3);
  ThresholdLearner learner;
  int mistakes = 0;
  for (int change = 0; change <= kChanges; ++change) {
    const double theta = static_cast<double>(rng() % 1024 + 1) / 1024;
    for (int t = 0; t < 300; ++t) {
      const double x = static_cast<double>(rng() % 1025) / 1024;
      mistakes += Errs(learner, Number(x), x >= theta) ? 1 : 0;
    }
  }
  EXPECT_LE(mistakes, (kChanges + 1) * kBits + kChanges);
  EXPECT_GE(mistakes, kChanges);
}

TEST(ThresholdLearnerTest, SurvivesWrongLabelsWithinItsBound) {
  constexpr int kBits = 10;
  TestRng rng(4);
  ThresholdLearner learner;
  int mistakes = 0;
  int wrong = 0;
  for (int t = 0; t < 5000; ++t) {
    const double x = static_cast<double>(rng() % 1025) / 1024;
    const bool flip = rng() % 100 == 0;
    wrong += flip ? 1 : 0;
    mistakes += Errs(learner, Number(x), (x >= 0.4) != flip) ? 1 : 0;
  }
  EXPECT_LE(mistakes, (2 * wrong + 1) * kBits + 2 * wrong);
  EXPECT_GE(mistakes, wrong);
}

// 400 runs of 1000 rounds; the mean of the mistakes has standard deviation
// below 0.2, so that 2 H_m - 1 (13.97) is met if the theorem holds, and half of
// H_m, the distribution for uniform values (3.74), within 5 deviations.
TEST(ThresholdLearnerStatisticalTest,
     MakesAsFewMistakesAsTheBoundForExchangeableOrder) {
  TestRng rng(5);
  double harmonic = 0;
  for (int t = 1; t <= 1000; ++t) harmonic += 1.0 / t;
  double dense_near_theta = 0;
  double uniform = 0;
  constexpr int kRuns = 400;
  for (int run = 0; run < kRuns; ++run) {
    ThresholdLearner a;
    ThresholdLearner b;
    for (int t = 0; t < 1000; ++t) {
      // Geometric towards the threshold, from both sides: bisection helps
      // least.
      const double distance = std::exp2(-40 * Uniform(rng)) / 2;
      const bool y = (rng() & 1) != 0;
      const double x = y ? 0.5 + distance : 0.5 - distance;
      dense_near_theta += Errs(a, Number(x), y) ? 1 : 0;
      const double u = Uniform(rng);
      uniform += Errs(b, Number(u), u >= 0.37) ? 1 : 0;
    }
  }
  EXPECT_LE(dense_near_theta / kRuns, 2 * harmonic - 1);
  EXPECT_NEAR(uniform / kRuns, harmonic / 2, 1.0);
  EXPECT_GT(uniform / kRuns, 2.5);
}

TEST(ThresholdLearnerTest, SavesAndLoads) {
  ThresholdLearner learner;
  learner.Update(Number(0.25), false);
  learner.Update(Number(0.7), true);
  ExpectRoundTrip(learner, ThresholdLearner());
  ByteReader in(
      std::string_view("\0\0\0\0\0\0\xf0\x7f\0\0\0\0\0\0\xf0\x3f", 16));
  EXPECT_FALSE(ThresholdLearner().Load(in));
}

}  // namespace
}  // namespace sotto
