#include "sotto/learners/point_learner.h"

#include <gtest/gtest.h>

#include "sotto/learners/learner_test_tools.h"

namespace sotto {
namespace {

TEST(PointLearnerTest, MakesOneMistakeOnAPoint) {
  TestRng rng(1);
  PointLearner learner;
  EXPECT_FALSE(learner.point());
  int mistakes = 0;
  for (int t = 0; t < 1000; ++t) {
    const auto x = static_cast<double>(rng() % 20);
    mistakes += Errs(learner, Number(x), x == 7) ? 1 : 0;
    ASSERT_EQ(learner.Predict(Number(x)), learner.point() == x);
  }
  EXPECT_EQ(mistakes, 1);
  EXPECT_EQ(learner.point(), 7);
}

TEST(PointLearnerTest, ForgetsAPointThatIsCalledZero) {
  PointLearner learner;
  learner.Update(Number(5), true);
  learner.Update(Number(6), false);
  EXPECT_EQ(learner.point(), 5);
  learner.Update(Number(5), false);
  EXPECT_FALSE(learner.point());
}

TEST(PointLearnerTest, FollowsDriftWithinItsBound) {
  TestRng rng(2);
  PointLearner learner;
  int mistakes = 0;
  for (int change = 0; change <= 9; ++change) {
    for (int t = 0; t < 200; ++t) {
      const auto x = static_cast<double>(rng() % 20);
      mistakes += Errs(learner, Number(x), x == change) ? 1 : 0;
    }
  }
  EXPECT_LE(mistakes, 2 * 9 + 1);
  EXPECT_GE(mistakes, 10);
}

TEST(PointLearnerTest, SurvivesWrongLabelsWithinItsBound) {
  TestRng rng(3);
  PointLearner learner;
  int mistakes = 0;
  int wrong = 0;
  for (int t = 0; t < 5000; ++t) {
    const auto x = static_cast<double>(rng() % 20);
    const bool flip = rng() % 50 == 0;
    wrong += flip ? 1 : 0;
    mistakes += Errs(learner, Number(x), (x == 7) != flip) ? 1 : 0;
  }
  EXPECT_LE(mistakes, 3 * wrong + 1);
  EXPECT_GT(mistakes, wrong);
}

TEST(PointLearnerTest, SavesAndLoads) {
  PointLearner learner;
  learner.Update(Number(0), true);
  ExpectRoundTrip(learner, PointLearner());
}

}  // namespace
}  // namespace sotto
