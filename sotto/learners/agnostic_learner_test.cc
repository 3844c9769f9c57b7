#include "sotto/learners/agnostic_learner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "sotto/learners/learner_test_tools.h"

namespace sotto {
namespace {

TEST(AgnosticLearnerTest, KeepsToTheBoundOnLabelsNoFunctionExplains) {
  TestRng rng(3);
  const auto functions = FiniteClass::Named("thresholds", 64);
  AgnosticLearner learner(&*functions);
  std::vector<int> errors(functions->size());
  int mistakes = 0;
  for (int t = 0; t < 3000; ++t) {
    const std::size_t point = rng() % 64;
    const bool y = (point >= 40) != (rng() % 20 == 0);
    for (std::size_t h = 0; h < errors.size(); ++h) {
      errors[h] += functions->Label(h, point) != y ? 1 : 0;
    }
    mistakes += Errs(learner, Number(static_cast<double>(point)), y) ? 1 : 0;
  }
  const int best = *std::min_element(errors.begin(), errors.end());
  EXPECT_LE(mistakes,
            (best * std::log(2.0) + std::log(65.0)) / std::log(4.0 / 3));
  // Littlestone's dimension is 6.
  EXPECT_LE(mistakes, 2.41 * best + 3.48 * 6 * std::log(std::exp(1) * 64 / 6));
  EXPECT_GE(mistakes, best);
}

TEST(AgnosticLearnerTest, LearnsNothingOutsideTheClass) {
  const auto functions = FiniteClass::Named("points", 4);
  AgnosticLearner learner(&*functions);
  const std::string before = Saved(learner);
  learner.Update(Number(4), true);
  EXPECT_EQ(Saved(learner), before);
  EXPECT_FALSE(learner.Predict(Number(4)));
}

TEST(AgnosticLearnerTest, SavesAndLoads) {
  const auto functions = FiniteClass::Named("points", 4);
  AgnosticLearner learner(&*functions);
  learner.Update(Number(2), true);
  ExpectRoundTrip(learner, AgnosticLearner(&*functions));
}

}  // namespace
}  // namespace sotto
