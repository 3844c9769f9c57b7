#include "sotto/models/winnow/winnow_noise.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "sotto/accounting/tight_composition.h"

namespace sotto {
namespace {

WinnowPrivacy Hundred(double epsilon) {
  return {.epsilon = epsilon,
          .delta = 1e-6,
          .coordinates = 100,
          .max_norm = 10,
          .resolution = 1.0 / 128};
}

// Reference: mu of the analytic Gaussian at delta 1e-6 is 1/4.22468 (epsilon 1)
// and 1/1.54386 (epsilon 3); replaced examples are 20 apart.
TEST(WinnowNoiseTest, IsTheAnalyticGaussianOfAReplacedExample) {
  const auto one = CalibrateWinnowNoise(Hundred(1));
  const auto three = CalibrateWinnowNoise(Hundred(3));
  ASSERT_TRUE(one && three);
  EXPECT_NEAR(one->sigma, 20 * 4.22468, 0.02);
  EXPECT_NEAR(three->sigma, 20 * 1.54386, 0.01);
}

TEST(WinnowNoiseTest, LeavesHalfOfEpsilonToTheStopperForNothing) {
  const auto one = CalibrateWinnowNoise(Hundred(1));
  const auto three = CalibrateWinnowNoise(Hundred(3));
  ASSERT_TRUE(one && three);
  EXPECT_NEAR(one->stopper_epsilon, 0.5373, 0.001);
  EXPECT_NEAR(three->stopper_epsilon, 1.6095, 0.003);
}

TEST(WinnowNoiseTest, SpendsNoMoreThanDelta) {
  for (const double epsilon : {0.1, 3.0}) {
    for (const Relation relation : {Relation::kReplace, Relation::kAddRemove}) {
      WinnowPrivacy privacy = Hundred(epsilon);
      privacy.relation = relation;
      const auto noise = CalibrateWinnowNoise(privacy);
      ASSERT_TRUE(noise) << noise.error().message;
      EXPECT_LE(noise->delta, 1e-6);
      EXPECT_GE(noise->delta, 0.99e-6);
    }
  }
}

TEST(WinnowNoiseTest, AddRemoveNeedsAboutHalfTheNoise) {
  WinnowPrivacy privacy = Hundred(1);
  const auto replace = CalibrateWinnowNoise(privacy);
  privacy.relation = Relation::kAddRemove;
  const auto add_remove = CalibrateWinnowNoise(privacy);
  ASSERT_TRUE(replace && add_remove);
  EXPECT_NEAR(add_remove->sigma, 0.6 * replace->sigma, 0.01 * replace->sigma);
  EXPECT_GT(add_remove->stopper_epsilon, 0.1);
}

// The closed form of the second case against the composition of privacy losses.
TEST(WinnowNoiseTest, AgreesWithTheComposedPrivacyLosses) {
  const auto pure = PrivacyLoss::RandomizedResponse(0.4);
  const auto normal = PrivacyLoss::Gaussian(7.5);
  ASSERT_TRUE(pure && normal);
  const std::vector<LossTerm> terms = {{*pure, 1}, {*normal, 1}};
  const auto composed = TightDelta(terms, 0.9);
  const auto closed = WinnowDelta(0.9, 7.5, 0.4, Relation::kAddRemove);
  ASSERT_TRUE(composed && closed);
  EXPECT_NEAR(*closed / *composed, 1, 2e-3);
}

TEST(WinnowNoiseTest, RefusesWhatItCannotKeep) {
  WinnowPrivacy privacy = Hundred(1);
  privacy.epsilon = 0;
  EXPECT_FALSE(CalibrateWinnowNoise(privacy));
  privacy = Hundred(1);
  privacy.delta = 0;
  EXPECT_FALSE(CalibrateWinnowNoise(privacy));
  privacy = Hundred(1);
  privacy.max_norm = std::nan("");
  EXPECT_FALSE(CalibrateWinnowNoise(privacy));
  privacy = Hundred(1);
  privacy.relation = Relation::kChangeByOne;
  EXPECT_FALSE(CalibrateWinnowNoise(privacy));
  privacy = Hundred(16);
  privacy.delta = 1e-12;  // less than what the samplers lack
  EXPECT_FALSE(CalibrateWinnowNoise(privacy));
}

}  // namespace
}  // namespace sotto
