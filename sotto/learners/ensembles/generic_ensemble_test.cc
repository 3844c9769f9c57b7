#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "sotto/learners/ensembles/ensemble_test_stream.h"
#include "sotto/learners/ensembles/naive_ensemble.h"
#include "sotto/learners/ensembles/shared_ensemble.h"
#include "sotto/learners/ensembles/threaded_ensemble.h"
#include "sotto/learners/ensembles/worker_pool.h"
#include "sotto/learners/interval_learner.h"
#include "sotto/learners/point_learner.h"
#include "sotto/learners/stump_learner.h"
#include "sotto/learners/threshold_learner.h"

namespace sotto {
namespace {

template <typename L, typename MakeFast>
void ExpectEqualsTheLoop(const L& fresh, const MakeFast& fast,
                         std::uint32_t features) {
  testing::ExpectEqual(
      fast,
      [&](std::int64_t copies) { return NaiveEnsemble<L>(fresh, copies); },
      features);
}

TEST(SharedEnsembleTest, EqualsTheLoop) {
  const IntervalLearner interval;
  ExpectEqualsTheLoop(
      interval,
      [&](std::int64_t copies) {
        return SharedEnsemble<IntervalLearner>(interval, copies);
      },
      1);
}

TEST(SharedEnsembleTest, EqualsTheLoopOverLearnersChosenAtRunTime) {
  const AnyLearner any = PointLearner();
  ExpectEqualsTheLoop(
      any,
      [&](std::int64_t copies) {
        return SharedEnsemble<AnyLearner>(any, copies);
      },
      1);
}

TEST(SharedEnsembleTest, AsksEachDistinctStateOnce) {
  SharedEnsemble<ThresholdLearner> ensemble(ThresholdLearner(), 1000);
  EXPECT_EQ(ensemble.distinct(), 1U);
  const FeatureVector x = {{0, 0.25}};
  for (const std::int64_t copy : {3, 5, 7}) {
    ASSERT_TRUE(ensemble.Update(copy, x, true));
  }
  EXPECT_EQ(ensemble.distinct(), 2U);
  ASSERT_TRUE(ensemble.Update(3, x, true));  // Changes nothing.
  EXPECT_EQ(ensemble.distinct(), 2U);
  const FeatureVector low = {{0, 0.2}};
  EXPECT_EQ(*ensemble.Votes(low), 3);
}

TEST(SharedEnsembleTest, ForgetsStatesThatNoCopyHolds) {
  SharedEnsemble<PointLearner> ensemble(PointLearner(), 2);
  for (int i = 0; i < 100; ++i) {
    const FeatureVector x = {{0, static_cast<double>(i)}};
    ASSERT_TRUE(ensemble.Update(i % 2, x, true));
  }
  EXPECT_EQ(ensemble.distinct(), 2U);
}

TEST(ThreadedEnsembleTest, EqualsTheLoopWithAnyNumberOfThreads) {
  const StumpLearner stump(3);
  for (const std::size_t threads : {1, 3}) {
    ExpectEqualsTheLoop(
        stump,
        [&](std::int64_t copies) {
          return ThreadedEnsemble<StumpLearner>(stump, copies, threads);
        },
        3);
  }
}

TEST(WorkerPoolTest, DoesEveryPartOfEveryTaskOnce) {
  WorkerPool pool(4);
  std::vector<std::int64_t> done(pool.parts(), 0);
  for (int task = 0; task < 200; ++task) {
    pool.Run([&](std::size_t part) { ++done[part]; });
  }
  EXPECT_EQ(done, std::vector<std::int64_t>(4, 200));
}

TEST(WorkerPoolTest, EndsWithoutEverHavingWorked) { WorkerPool pool(3); }

}  // namespace
}  // namespace sotto
