#include "sotto/learners/weighted_majority_learner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "sotto/learners/learner_test_tools.h"

namespace sotto {
namespace {

double Bound(int best, double experts) {
  return (best * std::log(2.0) + std::log(experts)) / std::log(4.0 / 3);
}

// Experts with different error rates.
TEST(WeightedMajorityLearnerTest, KeepsToTheBoundOnRandomStreams) {
  TestRng rng(1);
  for (const int best_rate : {0, 1, 10}) {
    WeightedMajorityLearner learner(20);
    std::vector<int> errors(20);
    int mistakes = 0;
    for (int t = 0; t < 2000; ++t) {
      const bool y = (rng() & 1) != 0;
      std::vector<double> advice(20);
      for (std::size_t i = 0; i < 20; ++i) {
        const std::uint64_t rate =
            i == 13 ? static_cast<std::uint64_t>(best_rate) : 40;
        const bool wrong = rng() % 100 < rate;
        errors[i] += wrong ? 1 : 0;
        advice[i] = (y != wrong) ? 1 : 0;
      }
      mistakes += Errs(learner, Dense(advice), y) ? 1 : 0;
    }
    const int best = *std::min_element(errors.begin(), errors.end());
    EXPECT_LE(mistakes, Bound(best, 20));
    EXPECT_GE(mistakes, 1);
  }
}

// Random advice, and the label that the learner does not predict. It is wrong
// in every round, so some expert must be wrong often, too.
TEST(WeightedMajorityLearnerTest, KeepsToTheBoundAgainstAnAdversary) {
  TestRng rng(2);
  constexpr std::uint32_t kExperts = 16;
  WeightedMajorityLearner learner(kExperts);
  std::vector<int> errors(kExperts);
  for (int t = 1; t <= 2000; ++t) {
    const auto x = RandomBits(kExperts, rng);
    const bool y = !learner.Predict(x);
    learner.Update(x, y);
    for (std::uint32_t i = 0; i < kExperts; ++i) {
      errors[i] += (ValueAt(x, i) > 0.5) != y ? 1 : 0;
    }
    const int best = *std::min_element(errors.begin(), errors.end());
    ASSERT_LE(t, Bound(best, kExperts));
  }
}

TEST(WeightedMajorityLearnerTest, ForgetsNoExpertForGood) {
  WeightedMajorityLearner learner(3);
  const auto first = Dense({1, 0, 0});
  for (int t = 0; t < 5000; ++t) learner.Update(first, !learner.Predict(first));
  for (int t = 0; t < 20000; ++t) learner.Update(first, true);
  EXPECT_TRUE(learner.Predict(first));
}

TEST(WeightedMajorityLearnerTest, SavesAndLoads) {
  WeightedMajorityLearner experts(3);
  experts.Update(Dense({1, 0, 0}), true);
  ExpectRoundTrip(experts, WeightedMajorityLearner(3));
}

}  // namespace
}  // namespace sotto
