#include "sotto/learners/decision_list_learner.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "sotto/learners/learner_test_tools.h"

namespace sotto {
namespace {

// A rule asks for a feature's value; the last always applies.
struct Rule {
  std::uint32_t feature;
  bool value;
  bool label;
};
using List = std::vector<Rule>;

bool Label(const List& list, FeatureView x) {
  for (std::size_t i = 0; i + 1 < list.size(); ++i) {
    if ((ValueAt(x, list[i].feature) > 0.5) == list[i].value) {
      return list[i].label;
    }
  }
  return list.back().label;
}

List RandomList(std::size_t rules, std::size_t features, TestRng& rng) {
  List list;
  for (std::size_t i = 0; i < rules; ++i) {
    list.push_back({static_cast<std::uint32_t>(rng() % features),
                    (rng() & 1) != 0, (rng() & 1) != 0});
  }
  return list;
}

TEST(OnlineDecisionListLearnerTest, KeepsToTheBoundOnRandomLists) {
  TestRng rng(1);
  int worst = 0;
  for (int run = 0; run < 20; ++run) {
    const List list = RandomList(4, 8, rng);
    OnlineDecisionListLearner learner(8);
    int mistakes = 0;
    int late = 0;
    for (int t = 0; t < 1500; ++t) {
      const auto x = RandomBits(8, rng);
      const bool wrong = Errs(learner, x, Label(list, x));
      mistakes += wrong ? 1 : 0;
      late += wrong && t >= 1400 ? 1 : 0;
    }
    worst = std::max(worst, mistakes);
    EXPECT_EQ(late, 0);
  }
  EXPECT_LE(worst, (4 * 8 + 2) * 4);
  EXPECT_GE(worst, 5);
}

// All lists of up to three rules over three features stay candidates; the label
// that the learner does not predict is right while a candidate explains it.
TEST(OnlineDecisionListLearnerTest, KeepsToTheBoundAgainstAGreedyAdversary) {
  constexpr std::size_t kFeatures = 3;
  TestRng rng(2);
  int worst = 0;
  for (int run = 0; run < 20; ++run) {
    std::vector<List> alive;
    for (int i = 0; i < 500; ++i)
      alive.push_back(RandomList(3, kFeatures, rng));
    OnlineDecisionListLearner learner(kFeatures);
    int mistakes = 0;
    for (int t = 0; t < 200; ++t) {
      const auto x = RandomBits(kFeatures, rng);
      const bool other = !learner.Predict(x);
      const bool explained = std::any_of(
          alive.begin(), alive.end(),
          [&](const List& list) { return Label(list, x) == other; });
      const bool y = explained ? other : !other;
      std::erase_if(alive, [&](const List& l) { return Label(l, x) != y; });
      mistakes += Errs(learner, x, y) ? 1 : 0;
    }
    ASSERT_FALSE(alive.empty());
    worst = std::max(worst, mistakes);
  }
  EXPECT_LE(worst, (4 * 3 + 2) * 3);
  EXPECT_GE(worst, 3);
}

TEST(OnlineDecisionListLearnerTest, FollowsDriftAndWrongLabels) {
  TestRng rng(3);
  OnlineDecisionListLearner learner(4);
  int mistakes = 0;
  int wrong = 0;
  for (int change = 0; change < 6; ++change) {
    const List list = RandomList(3, 4, rng);
    for (int t = 0; t < 2000; ++t) {
      const auto x = RandomBits(4, rng);
      const bool flip = rng() % 100 == 0;
      wrong += flip ? 1 : 0;
      mistakes += Errs(learner, x, Label(list, x) != flip) ? 1 : 0;
    }
  }
  const int events = wrong + 5;
  EXPECT_LE(mistakes, (4 * 4 + 2) * 5 * (events + 1) + events);
  EXPECT_LE(mistakes, 12000 / 4) << "it does not recover";
  EXPECT_GE(mistakes, wrong / 2);
}

TEST(OnlineDecisionListLearnerTest, SavesAndLoads) {
  OnlineDecisionListLearner learner(3);
  learner.Update(Dense({1, 0, 1}), true);
  ExpectRoundTrip(learner, OnlineDecisionListLearner(3));
}

}  // namespace
}  // namespace sotto
