#include "sotto/learners/version_space_learner.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "sotto/learners/classes/littlestone_dimension.h"
#include "sotto/learners/learner_test_tools.h"

namespace sotto {
namespace {

// The maximum number of mistakes that an adversary can force, by exhaustive
// search: at each point the label that the learner does not predict, while a
// function of the class explains all.
template <Learner L>
int WorstCase(const FiniteClass& functions, const L& learner,
              const FiniteClass::Set& space) {
  int worst = 0;
  for (std::size_t point = 0; point < functions.points(); ++point) {
    const auto x = Number(static_cast<double>(point));
    const bool y = !learner.Predict(x);
    const auto left = Restrict(functions, space, point, y);
    if (CountMembers(left) == 0) continue;
    L taught = learner;
    taught.Update(x, y);
    worst = std::max(worst, 1 + WorstCase(functions, taught, left));
  }
  return worst;
}

TEST(HalvingLearnerTest, KeepsToItsBoundAgainstEveryAdversary) {
  const auto points = FiniteClass::Named("points", 6);
  EXPECT_EQ(WorstCase(*points, HalvingLearner(&*points), points->All()), 1);
  const auto thresholds = FiniteClass::Named("thresholds", 7);
  EXPECT_EQ(
      WorstCase(*thresholds, HalvingLearner(&*thresholds), thresholds->All()),
      3);
  const auto intervals = FiniteClass::Named("intervals", 4);
  const int worst =
      WorstCase(*intervals, HalvingLearner(&*intervals), intervals->All());
  EXPECT_LE(worst, 3);  // floor(log2 11)
  EXPECT_GE(worst, 2);
}

TEST(SoaLearnerTest, NeedsExactlyTheDimensionAgainstTheWorstAdversary) {
  for (const auto& [name, size] :
       {std::pair("points", 6), std::pair("thresholds", 7),
        std::pair("intervals", 4)}) {
    const auto functions =
        FiniteClass::Named(name, static_cast<std::uint64_t>(size));
    const auto learner = SoaLearner::Create(&*functions);
    ASSERT_TRUE(learner);
    EXPECT_EQ(WorstCase(*functions, *learner, functions->All()),
              learner->dimension())
        << name;
  }
}

template <Learner L>
int Mistakes(const FiniteClass& functions, L learner, int wrong_in_thousand,
             int changes, TestRng& rng, int& wrong) {
  int mistakes = 0;
  wrong = 0;
  for (int change = 0; change <= changes; ++change) {
    const std::size_t target = rng() % functions.size();
    for (int t = 0; t < 500; ++t) {
      const std::size_t point = rng() % functions.points();
      const bool flip =
          rng() % 1000 < static_cast<std::uint64_t>(wrong_in_thousand);
      wrong += flip ? 1 : 0;
      mistakes += Errs(learner, Number(static_cast<double>(point)),
                       functions.Label(target, point) != flip)
                      ? 1
                      : 0;
    }
  }
  return mistakes;
}

TEST(HalvingLearnerTest, FollowsDriftAndWrongLabelsWithinItsBound) {
  TestRng rng(1);
  const auto functions = FiniteClass::Named("thresholds", 255);
  int wrong = 0;
  const HalvingLearner fresh(&*functions);
  EXPECT_LE(Mistakes(*functions, fresh, 0, 0, rng, wrong), 8);
  const int drifted = Mistakes(*functions, fresh, 0, 9, rng, wrong);
  EXPECT_LE(drifted, 9 * 10);
  EXPECT_GE(drifted, 9);
  const int noisy = Mistakes(*functions, fresh, 20, 0, rng, wrong);
  EXPECT_LE(noisy, 9 * (2 * wrong + 1));
  EXPECT_GE(noisy, wrong);
}

TEST(SoaLearnerTest, FollowsDriftAndWrongLabelsWithinItsBound) {
  TestRng rng(2);
  const auto functions = FiniteClass::Named("intervals", 7);
  const auto fresh = SoaLearner::Create(&*functions);
  ASSERT_TRUE(fresh);
  const int dimension = fresh->dimension();
  int wrong = 0;
  EXPECT_LE(Mistakes(*functions, *fresh, 0, 0, rng, wrong), dimension);
  const int drifted = Mistakes(*functions, *fresh, 0, 9, rng, wrong);
  EXPECT_LE(drifted, (dimension + 1) * 10);
  EXPECT_GE(drifted, 9);
  const int noisy = Mistakes(*functions, *fresh, 20, 0, rng, wrong);
  EXPECT_LE(noisy, (dimension + 1) * (2 * wrong + 1));
  EXPECT_GE(noisy, wrong);
}

TEST(SoaLearnerTest, RefusesClassesThatAreTooLarge) {
  const auto functions = FiniteClass::Named("points", 5000);
  const auto learner = SoaLearner::Create(&*functions);
  ASSERT_FALSE(learner);
  EXPECT_EQ(learner.error().code, ErrorCode::kInvalidArgument);
}

TEST(HalvingLearnerTest, LearnsNothingOutsideTheClass) {
  const auto functions = FiniteClass::Named("thresholds", 8);
  HalvingLearner halving(&*functions);
  auto soa = SoaLearner::Create(&*functions);
  for (const double x : {-1.0, 8.0, 0.5}) {
    halving.Update(Number(x), true);
    soa->Update(Number(x), true);
    EXPECT_FALSE(halving.Predict(Number(x)));
    EXPECT_FALSE(soa->Predict(Number(x)));
  }
  EXPECT_EQ(halving.space(), functions->All());
}

TEST(HalvingLearnerTest, TakesTheWholeClassAgainIfNothingExplainsAnExample) {
  const auto functions = FiniteClass::Parse("011\n001\n");
  HalvingLearner learner(&*functions);
  learner.Update(Number(1), true);
  learner.Update(Number(0), true);
  EXPECT_EQ(learner.space(), functions->All());
}

TEST(SoaLearnerTest, SavesAndLoads) {
  const auto functions = FiniteClass::Named("thresholds", 100);
  HalvingLearner halving(&*functions);
  halving.Update(Number(30), false);
  ExpectRoundTrip(halving, HalvingLearner(&*functions));
  auto soa = SoaLearner::Create(&*functions);
  soa->Update(Number(30), true);
  soa->Update(Number(20), false);
  ExpectRoundTrip(*soa, *SoaLearner::Create(&*functions));
  auto loaded = SoaLearner::Create(&*functions);
  const std::string bytes = Saved(*soa);
  ByteReader in(bytes);
  ASSERT_TRUE(loaded->Load(in));
  for (int x = 0; x < 100; ++x) {
    EXPECT_EQ(loaded->Predict(Number(x)), soa->Predict(Number(x)));
  }
  const std::string none(16, '\0');
  ByteReader empty(none);
  EXPECT_FALSE(loaded->Load(empty));
}

}  // namespace
}  // namespace sotto
