#include "sotto/ensembles/ensemble_factory.h"

#include <gtest/gtest.h>

#include <string>

#include "sotto/ensembles/ensemble_test_stream.h"
#include "sotto/ensembles/naive_ensemble.h"

namespace sotto {
namespace {

// Every learner there is, in the structure chosen for it, against the loop.
TEST(EnsembleFactoryTest, MakesEnsemblesThatEqualTheLoop) {
  for (const char* text :
       {"threshold:range=0..1", "interval", "stump:features=3", "point",
        "halving:class=thresholds/9", "soa:class=points/9",
        "agnostic:class=intervals/9", "winnow:features=3",
        "confident-winnow:features=3", "perceptron:features=3",
        "decision-list:features=3", "experts:features=3",
        "logistic:features=3,rate=0.5"}) {
    SCOPED_TRACE(text);
    const auto spec = LearnerSpec::Parse(text);
    ASSERT_TRUE(spec) << spec.error().message;
    const auto learner = MakeLearner(*spec);
    ASSERT_TRUE(learner) << learner.error().message;
    const auto factory = MakeEnsembleFactory(*spec, {.threads = 2});
    ASSERT_TRUE(factory) << factory.error().message;
    const auto ensemble = (*factory)(0, 40);
    ASSERT_TRUE(ensemble) << ensemble.error().message;
    NaiveEnsemble<AnyLearner> naive(*learner, 40);
    const auto stream = testing::MakeStream(
        {.rounds = 400, .copies = 40, .features = 3, .grid = 1, .drift = 150});
    EXPECT_EQ(testing::PlayInBatches(**ensemble, stream.steps, 32),
              testing::PlaySingly(naive, stream.steps));
  }
}

TEST(EnsembleFactoryTest, RefusesWhatMakeLearnerRefuses) {
  const auto spec = LearnerSpec::Parse("stump");
  ASSERT_TRUE(spec);
  const auto factory = MakeEnsembleFactory(*spec, {});
  ASSERT_FALSE(factory);
  EXPECT_EQ(factory.error().code, ErrorCode::kInvalidArgument);
}

TEST(EnsembleFactoryTest, RefusesExecWithoutItsProgram) {
  const auto spec = LearnerSpec::Parse("exec:./mylearner");
  ASSERT_TRUE(spec);
  EXPECT_FALSE(MakeEnsembleFactory(*spec, {}));
}

TEST(EnsembleFactoryTest, RefusesEnsemblesWithoutCopies) {
  for (const char* text : {"threshold", "perceptron:features=2"}) {
    const auto spec = LearnerSpec::Parse(text);
    ASSERT_TRUE(spec);
    const auto factory = MakeEnsembleFactory(*spec, {});
    ASSERT_TRUE(factory);
    EXPECT_FALSE((*factory)(0, 0));
    EXPECT_FALSE((*factory)(0, -1));
  }
}

}  // namespace
}  // namespace sotto
