#include "sotto/learners/ensembles/ensemble_factory.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sotto/learners/ensembles/ensemble_test_stream.h"
#include "sotto/learners/ensembles/naive_ensemble.h"
#include "sotto/learners/learner_entry.h"

namespace sotto {
namespace {

// Every learner, with three features or a class of nine points.
std::vector<std::string> EveryLearner() {
  std::vector<std::string> texts;
  for (const LearnerEntry& entry : Learners()) {
    if (entry.program) continue;
    std::string text(entry.name);
    for (const LearnerKey* key : entry.keys) {
      if (key->name == "features") text += ":features=3";
      if (key->name == "class") text += ":class=thresholds/9";
    }
    texts.push_back(text);
  }
  return texts;
}

TEST(EnsembleFactoryTest, MakesEnsemblesThatEqualTheLoop) {
  for (const std::string& text : EveryLearner()) {
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
              testing::PlayOneByOne(naive, stream.steps));
  }
}

TEST(EnsembleFactoryTest, OfUntaughtHalfspacesHalfVoteZero) {
  for (const char* text : {"perceptron:features=3", "logistic:features=3",
                           "confident-winnow:features=3"}) {
    const auto factory = MakeEnsembleFactory(*LearnerSpec::Parse(text), {});
    ASSERT_TRUE(factory) << factory.error().message;
    const auto ensemble = (*factory)(0, 40);
    ASSERT_TRUE(ensemble);
    const FeatureVector x{{0, 0.5}, {2, -0.25}};
    EXPECT_EQ(*(*ensemble)->Votes(x), 20) << text;
    // Copy 1 has default label 0 until it is taught; then it is like the
    // others.
    ASSERT_TRUE((*ensemble)->Update(1, x, true));
    EXPECT_EQ(*(*ensemble)->Votes(x), 21) << text;
    ASSERT_TRUE((*ensemble)->Update(0, x, false));
    EXPECT_EQ(*(*ensemble)->Votes(x), 20) << text;
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

TEST(EnsembleFactoryTest, WhatNeedsTooMuchMemoryIsRefusedBeforeItIsTaken) {
  for (const char* learner :
       {"stump:features=262144", "winnow:features=262144",
        "perceptron:features=262144", "logistic:features=262144"}) {
    const auto factory = MakeEnsembleFactory(*LearnerSpec::Parse(learner), {});
    ASSERT_TRUE(factory) << learner;
    const auto made = (*factory)(0, 100'000);
    ASSERT_FALSE(made) << learner;
    EXPECT_EQ(made.error().code, ErrorCode::kInvalidArgument);
  }
}

}  // namespace
}  // namespace sotto
