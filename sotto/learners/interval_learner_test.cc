#include "sotto/learners/interval_learner.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "sotto/learners/learner_test_tools.h"

namespace sotto {
namespace {

TEST(IntervalLearnerTest, IsEmptyUntilTheFirstOne) {
  IntervalLearner learner;
  learner.Update(Number(0.5), false);
  EXPECT_GT(learner.lower(), learner.upper());
  EXPECT_FALSE(learner.Predict(Number(0.5)));
  learner.Update(Number(0.25), true);
  EXPECT_EQ(learner.lower(), 0.125);
  EXPECT_EQ(learner.upper(), 0.625);
}

TEST(IntervalLearnerTest, PredictsExactlyFromLowerToUpper) {
  IntervalLearner learner;
  TestRng rng(1);
  for (int t = 0; t < 3000; ++t) {
    const double x = 1.2 * Uniform(rng) - 0.1;
    ASSERT_EQ(learner.Predict(Number(x)),
              learner.lower() <= x && x <= learner.upper());
    learner.Update(Number(x), rng() % 3 != 0);
  }
}

TEST(IntervalLearnerTest, KeepsToTheBoundOnRandomGridStreams) {
  TestRng rng(2);
  int worst = 0;
  for (int run = 0; run < 300; ++run) {
    IntervalLearner learner({.low = 0, .high = 128});
    auto a = static_cast<double>(rng() % 127 + 1);
    auto b = static_cast<double>(rng() % 127 + 1);
    if (a > b) std::swap(a, b);
    int mistakes = 0;
    for (int t = 0; t < 500; ++t) {
      const auto x = static_cast<double>(rng() % 127 + 1);
      mistakes += Errs(learner, Number(x), a <= x && x <= b) ? 1 : 0;
    }
    worst = std::max(worst, mistakes);
  }
  EXPECT_LE(worst, 14);
  EXPECT_GE(worst, 5);
}

// Bisects right of the first 1, then left of it: every answer is called wrong.
TEST(IntervalLearnerTest, MakesTwoMistakesPerBitAgainstAnAdversary) {
  IntervalLearner learner({.low = 0, .high = 1024});
  int mistakes = Errs(learner, Number(512), true) ? 1 : 0;
  for (const double direction : {1.0, -1.0}) {
    double inner = 0;
    double outer = 512;
    while (outer - inner >= 2) {
      const double middle = (inner + outer) / 2;
      const auto x = Number(512 + direction * middle);
      const bool y = !learner.Predict(x);
      mistakes += Errs(learner, x, y) ? 1 : 0;
      (y ? inner : outer) = middle;
    }
  }
  EXPECT_EQ(mistakes, 19);
  EXPECT_LE(mistakes, 2 * 10);
}

TEST(IntervalLearnerTest, FollowsDriftAndWrongLabelsWithinItsBound) {
  TestRng rng(3);
  IntervalLearner learner({.low = 0, .high = 256});
  int mistakes = 0;
  int events = 0;
  for (int change = 0; change <= 10; ++change) {
    const auto a = static_cast<double>(rng() % 100 + 1);
    const double b = a + 100;
    for (int t = 0; t < 500; ++t) {
      const auto x = static_cast<double>(rng() % 255 + 1);
      const bool flip = rng() % 100 == 0;
      events += flip ? 2 : 0;
      mistakes += Errs(learner, Number(x), (a <= x && x <= b) != flip) ? 1 : 0;
    }
    ++events;
  }
  EXPECT_LE(mistakes, (2 * 8 + 1) * events);
  EXPECT_GE(mistakes, 60);
  EXPECT_LE(mistakes, 5500 / 4) << "it does not recover";
}

TEST(IntervalLearnerTest, LearnsIntervalsThatReachTheEndsOfTheRange) {
  IntervalLearner learner;
  int mistakes = 0;
  for (int round = 0; round < 20; ++round) {
    for (const double x : {0.0, 0.5, 1.0}) {
      mistakes += Errs(learner, Number(x), true) ? 1 : 0;
    }
  }
  EXPECT_LE(mistakes, 3);
  EXPECT_EQ(learner.lower(), 0);
  EXPECT_EQ(learner.upper(), 1);
}

TEST(IntervalLearnerTest, SavesAndLoads) {
  IntervalLearner learner;
  learner.Update(Number(0.25), true);
  learner.Update(Number(0.7), false);
  ExpectRoundTrip(learner, IntervalLearner());
}

}  // namespace
}  // namespace sotto
