#include "sotto/learners/ensembles/indexed_ensemble.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "sotto/learners/ensembles/ensemble_test_stream.h"
#include "sotto/learners/ensembles/interval_ensemble.h"
#include "sotto/learners/ensembles/naive_ensemble.h"
#include "sotto/learners/ensembles/point_ensemble.h"
#include "sotto/learners/ensembles/stump_ensemble.h"
#include "sotto/learners/ensembles/threshold_ensemble.h"
#include "sotto/learners/interval_learner.h"
#include "sotto/learners/point_learner.h"
#include "sotto/learners/stump_learner.h"
#include "sotto/learners/threshold_learner.h"

namespace sotto {
namespace {

template <typename E, typename L>
void ExpectEqualsTheLoop(const L& fresh, std::uint32_t features) {
  testing::ExpectEqual(
      [&](std::int64_t copies) { return E(fresh, copies); },
      [&](std::int64_t copies) { return NaiveEnsemble<L>(fresh, copies); },
      features);
}

TEST(ThresholdEnsembleTest, EqualsTheLoop) {
  ExpectEqualsTheLoop<ThresholdEnsemble<ThresholdLearner>>(ThresholdLearner(),
                                                           1);
}

TEST(ThresholdEnsembleTest, TakesAtMost64BytesPerCopy) {
  constexpr std::int64_t kCopies = 20'000;
  ThresholdEnsemble<ThresholdLearner> ensemble(ThresholdLearner(), kCopies);
  const auto stream =
      testing::MakeStream({.rounds = 100'000, .copies = kCopies});
  std::vector<std::int64_t> votes(stream.steps.size());
  EXPECT_LE(ensemble.memory_bytes(), 64 * kCopies);
  ASSERT_TRUE(ensemble.Play(stream.steps, votes));
  EXPECT_LE(ensemble.memory_bytes(), 64 * kCopies);
}

TEST(ThresholdEnsembleTest, RefusesAStateOfAnotherSize) {
  ThresholdEnsemble<ThresholdLearner> saved(ThresholdLearner(), 3);
  ThresholdEnsemble<ThresholdLearner> other(ThresholdLearner(), 4);
  const Status loaded = testing::LoadFrom(other, testing::Saved(saved));
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().code, ErrorCode::kCorruption);
  EXPECT_EQ(loaded.error().message,
            "the saved ensemble has 3 copies, this one 4");
}

TEST(ThresholdEnsembleTest, RefusesTruncatedBytes) {
  ThresholdEnsemble<ThresholdLearner> saved(ThresholdLearner(), 3);
  const std::string bytes = testing::Saved(saved);
  for (std::size_t n = 0; n < bytes.size(); ++n) {
    ThresholdEnsemble<ThresholdLearner> other(ThresholdLearner(), 3);
    EXPECT_FALSE(testing::LoadFrom(other, bytes.substr(0, n))) << n;
  }
}

TEST(IntervalEnsembleTest, EqualsTheLoop) {
  ExpectEqualsTheLoop<IntervalEnsemble<IntervalLearner>>(IntervalLearner(), 1);
}

TEST(StumpEnsembleTest, EqualsTheLoopOnOneFeature) {
  ExpectEqualsTheLoop<StumpEnsemble<StumpLearner>>(StumpLearner(1), 1);
}

TEST(StumpEnsembleTest, EqualsTheLoopOnManyFeatures) {
  ExpectEqualsTheLoop<StumpEnsemble<StumpLearner>>(StumpLearner(6), 6);
}

TEST(PointEnsembleTest, EqualsTheLoop) {
  ExpectEqualsTheLoop<PointEnsemble<PointLearner>>(PointLearner(), 1);
}

TEST(PointEnsembleTest, TakesZeroAndMinusZeroForOnePoint) {
  PointEnsemble<PointLearner> ensemble(PointLearner(), 2);
  const FeatureVector plus = {{0, 0.0}};
  const FeatureVector minus = {{0, -0.0}};
  ASSERT_TRUE(ensemble.Update(0, plus, true));
  ASSERT_TRUE(ensemble.Update(1, minus, true));
  EXPECT_EQ(*ensemble.Votes(plus), 2);
  EXPECT_EQ(*ensemble.Votes(minus), 2);
}

}  // namespace
}  // namespace sotto
