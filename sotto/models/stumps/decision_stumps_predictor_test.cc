#include "sotto/models/stumps/decision_stumps_predictor.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "sotto/testing/seeded_rng.h"

namespace sotto {
namespace {

using testing::SeededRng;

constexpr std::uint32_t kFeatures = 5;

StumpsParams Params() {
  return {.features = kFeatures, .epsilon = 8, .delta = 1e-3, .error = 0.4};
}

FeatureVector Point(SeededRng& rng) {
  FeatureVector x;
  for (std::uint32_t j = 0; j < kFeatures; ++j) {
    x.push_back({j, std::ldexp(static_cast<double>(rng.Next() >> 11), -53)});
  }
  return x;
}

// Positives: feature 3 at least 0.6, or below 0.4.
bool GetLabel(const FeatureVector& x, bool down) {
  return down ? x[3].value < 0.4 : x[3].value >= 0.6;
}

StumpsPredictor Trained(bool down, std::uint64_t seed) {
  SeededRng rng(seed);
  auto training = StumpsTraining::Create(Params());
  EXPECT_TRUE(training);
  for (int i = 0; i < 20'000; ++i) {
    const FeatureVector x = Point(rng);
    training->Add(x, GetLabel(x, down));
  }
  auto predictor = std::move(*training).Finish(rng);
  EXPECT_TRUE(predictor);
  return *std::move(predictor);
}

TEST(StumpsPredictorTest, FindsTheAxisAndTheDirectionAndAnswersWell) {
  for (const bool down : {false, true}) {
    StumpsPredictor predictor = Trained(down, 1);
    EXPECT_EQ(predictor.axis(), (StumpAxis{3, down}));
    SeededRng rng(2);
    int wrong = 0;
    constexpr int kAsked = 20'000;
    for (int i = 0; i < kAsked; ++i) {
      const FeatureVector x = Point(rng);
      wrong += predictor.Answer(x, rng).inside != GetLabel(x, down) ? 1 : 0;
    }
    EXPECT_LT(wrong, kAsked / 10);
  }
}

TEST(StumpsPredictorTest, PromisesWhatWasAskedForTrainingSetIncluded) {
  const auto training = StumpsTraining::Create(Params());
  ASSERT_TRUE(training);
  const Guarantee& promise = training->guarantee();
  EXPECT_EQ(promise.notion(), Notion::kEverlasting);
  EXPECT_EQ(promise.epsilon(), 8);
  EXPECT_LE(promise.delta(), 1e-3);
  EXPECT_LT(training->phases().target.training_epsilon, 8 * 0.94);
}

TEST(StumpsPredictorTest, ASavedPredictorGoesOnAsIfNothingHadHappened) {
  StumpsPredictor predictor = Trained(false, 3);
  ByteWriter writer;
  predictor.Save(writer);
  ByteReader reader(writer.bytes());
  auto loaded = StumpsPredictor::Load(Params(), reader);
  ASSERT_TRUE(loaded);
  EXPECT_TRUE(reader.Finish());
  EXPECT_EQ(loaded->axis(), predictor.axis());
  SeededRng points(4);
  SeededRng left(5);
  SeededRng right(5);
  for (int i = 0; i < 10'000; ++i) {
    const FeatureVector x = Point(points);
    ASSERT_EQ(predictor.Answer(x, left).inside,
              loaded->Answer(x, right).inside);
  }
}

TEST(StumpsPredictorTest, AnEmptyTrainingSetIsNoFailure) {
  auto training = StumpsTraining::Create(Params());
  ASSERT_TRUE(training);
  SeededRng rng(6);
  auto predictor = std::move(*training).Finish(rng);
  ASSERT_TRUE(predictor);
  predictor->Answer(Point(rng), rng);
}

}  // namespace
}  // namespace sotto
