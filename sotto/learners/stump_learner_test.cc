#include "sotto/learners/stump_learner.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "sotto/learners/learner_test_tools.h"

namespace sotto {
namespace {

FeatureVector RandomGridPoint(std::size_t features, std::uint64_t steps,
                              TestRng& rng) {
  std::vector<double> values(features);
  for (double& value : values) {
    value =
        static_cast<double>(rng() % (steps + 1)) / static_cast<double>(steps);
  }
  return Dense(values);
}

TEST(StumpLearnerTest, PredictsExactlyByItsHypothesis) {
  StumpLearner learner(3);
  TestRng rng(1);
  for (int t = 0; t < 2000; ++t) {
    const auto x = RandomGridPoint(3, 8, rng);
    ASSERT_LT(learner.axis(), 3);
    ASSERT_EQ(learner.Predict(x),
              (ValueAt(x, learner.axis()) >= learner.threshold()) ==
                  learner.positive_above());
    learner.Update(x, rng() % 3 != 0);
  }
}

TEST(StumpLearnerTest, KeepsToTheBoundOnRandomStreams) {
  TestRng rng(2);
  int worst = 0;
  for (int run = 0; run < 200; ++run) {
    StumpLearner learner(4);
    const auto axis = static_cast<std::uint32_t>(rng() % 4);
    const double theta = static_cast<double>(rng() % 16 + 1) / 16;
    const bool above = (rng() & 1) != 0;
    int mistakes = 0;
    for (int t = 0; t < 300; ++t) {
      const auto x = RandomGridPoint(4, 16, rng);
      const bool y = (ValueAt(x, axis) >= theta) == above;
      mistakes += Errs(learner, x, y) ? 1 : 0;
    }
    worst = std::max(worst, mistakes);
    // Random points settle the axis, too.
    EXPECT_EQ(learner.axis(), axis);
    EXPECT_EQ(learner.positive_above(), above);
  }
  EXPECT_LE(worst, 2 * 4 * (4 + 1) - 1);
  EXPECT_GE(worst, 4);
}

// Plays an example that the hypothesis gets wrong among all that some stump
// explains, while there is one. The bound holds on the worst such game.
TEST(StumpLearnerTest, KeepsToTheBoundAgainstAGreedyAdversary) {
  constexpr int kSteps = 4;  // b = 2
  struct Stump {
    std::uint32_t axis;
    double theta;
    bool above;
    bool Label(FeatureView x) const {
      return (ValueAt(x, axis) >= theta) == above;
    }
  };
  std::vector<Stump> alive;
  for (std::uint32_t axis = 0; axis < 2; ++axis) {
    for (int i = 1; i <= kSteps; ++i) {
      for (const bool above : {false, true}) {
        alive.push_back({axis, i / double{kSteps}, above});
      }
    }
  }
  StumpLearner learner(2);
  int mistakes = 0;
  while (true) {
    FeatureVector hardest;
    long most = 0;
    for (int i = 0; i <= kSteps; ++i) {
      for (int j = 0; j <= kSteps; ++j) {
        const auto x = Dense({i / double{kSteps}, j / double{kSteps}});
        const bool y = !learner.Predict(x);
        const long left = std::count_if(
            alive.begin(), alive.end(),
            [&](const Stump& stump) { return stump.Label(x) == y; });
        if (left > most) {
          most = left;
          hardest = x;
        }
      }
    }
    if (most == 0) break;
    const bool y = !learner.Predict(hardest);
    std::erase_if(alive, [&](const Stump& s) { return s.Label(hardest) != y; });
    mistakes += Errs(learner, hardest, y) ? 1 : 0;
    ASSERT_LE(mistakes, 2 * 2 * (2 + 1) - 1);
  }
  EXPECT_GE(mistakes, 3);
  for (int i = 0; i <= kSteps; ++i) {
    const auto x = Dense({i / double{kSteps}, 0.25});
    EXPECT_EQ(learner.Predict(x), alive[0].Label(x));
  }
}

TEST(StumpLearnerTest, ChoosesTheWidestAndOfEqualsTheFirst) {
  const auto axis_after = [](const FeatureVector& one,
                             const FeatureVector& zero) {
    StumpLearner learner(2);
    learner.Update(one, true);
    learner.Update(zero, false);
    EXPECT_TRUE(learner.positive_above());
    return learner.axis();
  };
  EXPECT_EQ(axis_after(Dense({0.5, 1}), Dense({0.25, 0})), 1);
  EXPECT_EQ(axis_after(Dense({1, 0.5}), Dense({0, 0.25})), 0);
  EXPECT_EQ(axis_after(Dense({0.75, 0.75}), Dense({0.25, 0.25})), 0);
}

TEST(StumpLearnerTest, FollowsDriftWithinItsBound) {
  TestRng rng(3);
  StumpLearner learner(3);
  int mistakes = 0;
  for (std::uint32_t change = 0; change < 9; ++change) {
    for (int t = 0; t < 300; ++t) {
      const auto x = RandomGridPoint(3, 16, rng);
      mistakes += Errs(learner, x, ValueAt(x, change % 3) >= 0.5) ? 1 : 0;
    }
  }
  EXPECT_LE(mistakes, 2 * 3 * (4 + 1) * 9);
  EXPECT_GE(mistakes, 9);
}

TEST(StumpLearnerTest, ReadsAbsentFeaturesAsZero) {
  StumpLearner learner(3, {.low = -1, .high = 1});
  for (int round = 0; round < 3; ++round) {
    learner.Update(FeatureVector{{2, 1}}, true);
    learner.Update(FeatureVector{{1, 1}}, false);
    learner.Update(FeatureVector{}, false);
  }
  EXPECT_EQ(learner.axis(), 2);
  EXPECT_TRUE(learner.positive_above());
  EXPECT_EQ(learner.threshold(), 0.5);
}

TEST(StumpLearnerTest, SavesAndLoads) {
  StumpLearner learner(2);
  learner.Update(Dense({0.2, 0.9}), true);
  learner.Update(Dense({0.3, 0.1}), false);
  ExpectRoundTrip(learner, StumpLearner(2));
  StumpLearner loaded(2);
  const std::string bytes = Saved(learner);
  ByteReader in(bytes);
  ASSERT_TRUE(loaded.Load(in));
  EXPECT_EQ(loaded.axis(), learner.axis());
  EXPECT_EQ(loaded.threshold(), learner.threshold());
  EXPECT_EQ(loaded.positive_above(), learner.positive_above());
}

}  // namespace
}  // namespace sotto
