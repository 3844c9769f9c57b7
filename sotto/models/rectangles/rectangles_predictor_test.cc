#include "sotto/models/rectangles/rectangles_predictor.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "sotto/models/adapter/entries.h"
#include "sotto/models/rectangles/rectangles_forms.h"
#include "sotto/online/shared_options.h"
#include "sotto/testing/seeded_rng.h"

namespace sotto {
namespace {

using testing::SeededRng;

double Unit(SeededRng& rng) {
  return std::ldexp(static_cast<double>(rng.Next() >> 11), -53);
}

bool InBox(const FeatureVector& x) {
  return x[0].value >= 0.2 && x[0].value <= 0.8 && x[1].value >= 0.1 &&
         x[1].value <= 0.9;
}

TEST(RectanglesPredictorTest, PredictsABoxOfTwoDimensions) {
  SeededRng rng(1);
  auto training = RectanglesTraining::Create(
      {.dimensions = 2, .epsilon = 8, .delta = 1e-3, .error = 0.3});
  ASSERT_TRUE(training);
  FeatureVector x = {{0, 0}, {1, 0}};
  for (int i = 0; i < 60'000; ++i) {
    x = {{0, Unit(rng)}, {1, Unit(rng)}};
    training->Add(x, InBox(x));
  }
  auto predictor = std::move(*training).Finish(rng);
  ASSERT_TRUE(predictor);
  int missed = 0;
  int wrongly = 0;
  constexpr int kAsked = 20'000;
  for (int i = 0; i < kAsked; ++i) {
    x = {{0, Unit(rng)}, {1, Unit(rng)}};
    const bool prediction = predictor->Answer(x, rng).inside;
    missed += InBox(x) && !prediction ? 1 : 0;
    wrongly += !InBox(x) && prediction ? 1 : 0;
  }
  EXPECT_LT(missed, kAsked / 8);
  EXPECT_LT(wrongly, kAsked / 1000);
}

TEST(RectanglesPredictorTest, PromisesADeltaForEveryRoundAndTheTrainingSet) {
  const auto training = RectanglesTraining::Create(
      {.dimensions = 1, .epsilon = 3, .delta = 1e-5});
  ASSERT_TRUE(training);
  const Guarantee& promise = training->guarantee();
  EXPECT_EQ(promise.notion(), Notion::kEverlasting);
  EXPECT_LE(promise.delta(), 1e-5);
  ASSERT_TRUE(promise.schedule());
  EXPECT_GT(promise.schedule()->At(0), 3e-6);
  EXPECT_LT(promise.schedule()->At(1000), 1e-12);
}

// All that was asked for is spent, by our lines and by those of the paper: less
// would be noise for nothing.
TEST(RectanglesPredictorTest, SpendsTheDeltaThatWasAskedFor) {
  for (const bool paper : {false, true}) {
    for (const std::uint64_t rounds : {1, 3}) {
      RectanglesParams params{.dimensions = 1,
                              .epsilon = 3,
                              .delta = 1e-5,
                              .relation = Relation::kAddRemove,
                              .rounds_per_user = rounds};
      if (paper) params.paper = SlicedNumbers{};
      const auto phases = RectanglesPhases(params);
      ASSERT_TRUE(phases) << phases.error().message;
      const auto promise = RectanglesPromise(params, *phases);
      ASSERT_TRUE(promise) << promise.error().message;
      EXPECT_LE(promise->delta(), 1e-5);
      EXPECT_GE(promise->delta(), 0.99e-5) << paper << rounds;
      EXPECT_GE(promise->epsilon(), 2.97) << paper << rounds;
    }
  }
}

// The lines of the paper learn from the training set, too: without its points
// everything would be inside.
TEST(RectanglesPredictorTest, ByThePaperABoxIsLearnedFromItsRows) {
  SeededRng rng(1);
  auto training = RectanglesTraining::Create({.dimensions = 2,
                                              .epsilon = 16,
                                              .delta = 0.05,
                                              .relation = Relation::kAddRemove,
                                              .error = 0.5,
                                              .paper = SlicedNumbers{}});
  ASSERT_TRUE(training) << training.error().message;
  FeatureVector x = {{0, 0}, {1, 0}};
  for (int i = 0; i < 60'000; ++i) {
    x = {{0, Unit(rng)}, {1, Unit(rng)}};
    training->Add(x, InBox(x));
  }
  auto predictor = std::move(*training).Finish(rng);
  ASSERT_TRUE(predictor);
  int missed = 0;
  int wrongly = 0;
  for (int i = 0; i < 200; ++i) {
    missed += predictor->Answer(FeatureVector{{0, 0.5}, {1, 0.5}}, rng).inside
                  ? 0
                  : 1;
    for (const FeatureVector& far : {FeatureVector{{0, 0.01}, {1, 0.5}},
                                     FeatureVector{{0, 0.99}, {1, 0.5}},
                                     FeatureVector{{0, 0.5}, {1, 0.01}},
                                     FeatureVector{{0, 0.5}, {1, 0.99}}}) {
      wrongly += predictor->Answer(far, rng).inside ? 1 : 0;
    }
  }
  EXPECT_EQ(missed, 0);
  EXPECT_EQ(wrongly, 0);
}

TEST(RectanglesPredictorTest, NoDeltaNoDimensionAndTooManyAreRefused) {
  EXPECT_FALSE(RectanglesTraining::Create({.dimensions = 1, .epsilon = 3}));
  for (const std::uint32_t dimensions : {0U, 257U}) {
    EXPECT_FALSE(RectanglesTraining::Create(
        {.dimensions = dimensions, .epsilon = 3, .delta = 1e-5}));
  }
}

TEST(RectanglesPredictorTest, SlicesAreCheaperInHighDimensionsOnly) {
  const auto forms = [](std::uint32_t sides) {
    const auto phases =
        ChooseBoundaryPhases({.epsilon = 3, .delta = 1e-5, .sides = sides});
    EXPECT_TRUE(phases);
    return CompareForms(*phases);
  };
  EXPECT_TRUE(forms(2).overlapping_is_cheaper());
  EXPECT_FALSE(forms(512).overlapping_is_cheaper());
}

Settings Said(const std::string& calibration) {
  Settings settings(ConcatOptions(
      {PrivacyOptions(), StreamOptions(), RectanglesEntry().options}));
  EXPECT_TRUE(settings.Set("epsilon", "3"));
  EXPECT_TRUE(settings.Set("delta", "1e-5"));
  EXPECT_TRUE(settings.Set("horizon", "1e6"));
  EXPECT_TRUE(settings.Set("training-rows", "4e5"));
  EXPECT_TRUE(settings.Set("calibration", calibration));
  return settings;
}

TEST(RectanglesEntryTest, ThePlanSaysHowManyRowsAndThatThePaperIsHopeless) {
  const auto ours = RectanglesEntry().plan(Said("practical"), nullptr);
  ASSERT_TRUE(ours);
  EXPECT_EQ(ours->verdict, Verdict::kComfortable);
  EXPECT_LT(*ours->samples_required, 4e5);
  EXPECT_NE(ours->table.find("by slices"), std::string::npos);
  bool leader = false;
  for (const std::string& advice : ours->advice) {
    leader = leader || advice.find("leader") != std::string::npos;
  }
  EXPECT_TRUE(leader);
  Settings printed = Said("paper");
  ASSERT_TRUE(printed.Set("constants", "printed"));
  const auto paper = RectanglesEntry().plan(printed, nullptr);
  ASSERT_TRUE(paper);
  EXPECT_EQ(paper->verdict, Verdict::kHopeless);
  EXPECT_GT(*paper->samples_required, 1e12);
  EXPECT_NE(paper->table.find("printed"), std::string::npos);
  EXPECT_NE(paper->table.find("least"), std::string::npos);
  Settings ours_with = Said("practical");
  ASSERT_TRUE(ours_with.Set("constants", "printed"));
  EXPECT_FALSE(RectanglesEntry().plan(ours_with, nullptr));
}

TEST(RectanglesEntryTest, ManyFeaturesAreRefusedInASentence) {
  const InputSpec inputs{.features = 1000};
  const auto plan = RectanglesEntry().plan(Said("practical"), &inputs);
  ASSERT_FALSE(plan);
  EXPECT_NE(plan.error().message.find("1000"), std::string::npos);
}

}  // namespace
}  // namespace sotto
