#include "sotto/models/points/point_predictor.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sotto/testing/seeded_rng.h"

namespace sotto {
namespace {

PointPredictor::Params Step(std::uint64_t patience = 0) {
  return {.design = {.gate = {0.75, 2.5e-7},
                     .mirror = {{1.25, 2.5e-7}, {0.25, 2.5e-7}}},
          .patience = patience};
}

PointPredictor::Params Stairs(std::uint64_t patience = 0) {
  return {.design = {.gate = {0.5, 5e-7},
                     .mirror = {{0.6, 5e-7}, {0.1, 5e-7}},
                     .stairs = true},
          .patience = patience};
}

const PointName kBad = {1, 2};
const PointName kGood = {1, 3};

// Rounds of one point, all with this label at once; mistakes if it is 1.
std::uint64_t AnsweredZero(PointPredictor& points, const PointName& name,
                           bool y, int rounds, Rng& rng) {
  std::uint64_t zeros = 0;
  for (int i = 0; i < rounds; ++i) {
    const auto opened = points.Open(name, rng);
    zeros += opened.prediction ? 0 : 1;
    points.Close(opened.round, y);
  }
  return zeros;
}

TEST(PointPredictorTest, FindsThePointAndNeverPredictsOneForOthers) {
  for (const auto& params : {Step(), Stairs()}) {
    auto points = PointPredictor::Create(params);
    ASSERT_TRUE(points);
    testing::SeededRng rng(1);
    EXPECT_EQ(AnsweredZero(*points, kGood, false, 3000, rng), 3000U);
    const auto mistakes = AnsweredZero(*points, kBad, true, 3000, rng);
    EXPECT_GE(mistakes, points->silent_rounds());
    EXPECT_LT(mistakes, 3000U);
    EXPECT_EQ(AnsweredZero(*points, kBad, true, 100, rng), 0U);
    EXPECT_EQ(AnsweredZero(*points, kGood, false, 100, rng), 100U);
    EXPECT_EQ(points->points_seen(), 2U);
    EXPECT_EQ(points->points_passed(), 1U);
  }
}

TEST(PointPredictorTest, ManyPointsAreLearnedSideBySide) {
  auto points = PointPredictor::Create(Step());
  ASSERT_TRUE(points);
  testing::SeededRng rng(2);
  const std::uint64_t most = *points->worst_mistakes();
  for (std::uint64_t p = 0; p < 20; ++p) {
    EXPECT_LE(AnsweredZero(*points, {p, 0}, true, 300, rng), most);
  }
}

TEST(PointPredictorTest, LabelsCountUntilTheirPatienceIsOver) {
  for (const std::uint64_t late : {3, 4}) {
    auto points = PointPredictor::Create(Step(3));
    ASSERT_TRUE(points);
    testing::SeededRng rng(3);
    std::vector<PointPredictor::Round> open;
    bool prediction = false;
    for (std::size_t i = 0; i < 300; ++i) {
      const auto opened = points->Open(kBad, rng);
      prediction = opened.prediction;
      open.push_back(opened.round);
      if (i >= late) points->Close(open[i - late], true);
    }
    EXPECT_EQ(prediction, late == 3);
  }
}

TEST(PointPredictorTest, EmptyRoundsMoveTheClock) {
  auto points = PointPredictor::Create(Step(1));
  ASSERT_TRUE(points);
  testing::SeededRng rng(3);
  bool prediction = false;
  for (int i = 0; i < 300; ++i) {
    const auto opened = points->Open(kBad, rng);
    prediction = prediction || opened.prediction;
    points->PlayEmptyRound();
    points->PlayEmptyRound();
    points->Close(opened.round, true);
  }
  EXPECT_FALSE(prediction);
}

TEST(PointPredictorTest, ASavedStateGoesOnAsIfNothingHadHappened) {
  for (const auto& params : {Step(2), Stairs(2)}) {
    for (const int stop : {1, 40, 110, 150}) {
      auto points = PointPredictor::Create(params);
      ASSERT_TRUE(points);
      testing::SeededRng rng(4);
      AnsweredZero(*points, kGood, false, 5, rng);
      AnsweredZero(*points, kBad, true, stop, rng);
      ByteWriter writer;
      points->Save(writer);
      ByteReader reader(writer.bytes());
      auto loaded = PointPredictor::Load(params, reader);
      ASSERT_TRUE(loaded) << loaded.error().message;
      EXPECT_TRUE(reader.Finish());
      EXPECT_EQ(loaded->points_passed(), points->points_passed());
      testing::SeededRng rng_a(5);
      testing::SeededRng rng_b(5);
      for (int i = 0; i < 400; ++i) {
        const auto a = points->Open(kBad, rng_a);
        const auto b = loaded->Open(kBad, rng_b);
        EXPECT_EQ(a.prediction, b.prediction);
        EXPECT_EQ(a.round, b.round);
        points->Close(a.round, true);
        loaded->Close(b.round, true);
      }
    }
  }
}

// How many more mistakes a point is to make is drawn once: a state that forgot
// it would have the point predicted at once.
TEST(PointPredictorTest, ASavedPointMakesAsManyMistakesAsItDrew) {
  for (const auto& params : {Step(), Stairs()}) {
    std::uint64_t zeros = 0;
    for (std::uint64_t seed = 0; seed < 6; ++seed) {
      auto points = PointPredictor::Create(params);
      ASSERT_TRUE(points);
      testing::SeededRng rng(seed);
      for (int i = 0; i < 400 && points->points_passed() == 0; ++i) {
        AnsweredZero(*points, kBad, true, 1, rng);
      }
      ASSERT_EQ(points->points_passed(), 1U);
      ByteWriter writer;
      points->Save(writer);
      ByteReader reader(writer.bytes());
      auto loaded = PointPredictor::Load(params, reader);
      ASSERT_TRUE(loaded);
      testing::SeededRng left(seed);
      testing::SeededRng right(seed);
      const auto whole = AnsweredZero(*points, kBad, true, 100, left);
      EXPECT_EQ(whole, AnsweredZero(*loaded, kBad, true, 100, right));
      zeros += whole;
    }
    EXPECT_GT(zeros, 10U);
  }
}

TEST(PointPredictorTest, AStateOfAnotherDesignIsRefused) {
  auto points = PointPredictor::Create(Step());
  ASSERT_TRUE(points);
  testing::SeededRng rng(4);
  AnsweredZero(*points, kBad, true, 60, rng);
  ByteWriter writer;
  points->Save(writer);
  ByteReader other(writer.bytes());
  EXPECT_EQ(PointPredictor::Load(Step(1), other).error().code,
            ErrorCode::kFailedPrecondition);
  ByteReader mirrored(writer.bytes());
  EXPECT_EQ(PointPredictor::Load(Stairs(), mirrored).error().code,
            ErrorCode::kFailedPrecondition);
  for (std::size_t size = 0; size < writer.bytes().size(); ++size) {
    ByteReader cut(std::string_view(writer.bytes()).substr(0, size));
    EXPECT_FALSE(PointPredictor::Load(Step(), cut));
  }
}

TEST(PointPredictorTest, ARowsNameIsThatOfItsFeaturesThatAreNotZero) {
  const FeatureVector x = {{1, 2.5}, {4, -1}};
  const FeatureVector with_zeros = {{0, 0}, {1, 2.5}, {3, -0.0}, {4, -1}};
  EXPECT_EQ(PointKey(x), PointKey(with_zeros));
  EXPECT_NE(PointKey(x), PointKey(FeatureVector{{1, 2.5}, {4, 1}}));
  EXPECT_NE(PointKey(x), PointKey(FeatureVector{{1, 2.5}, {5, -1}}));
  EXPECT_NE(PointKey(x), PointKey(FeatureVector{{1, 2.5}}));
  EXPECT_EQ(PointKey({}), PointKey(FeatureVector{{7, 0}}));
  // Names are in saved states: they stay as they are.
  EXPECT_EQ(PointKey(x)[0], 2972619214291288151U);
}

// The mean over 4000 points lies within 5.2 standard errors of the formula with
// probability above 1 - 1e-6.
TEST(PointPredictorStatisticalTest, MakesTheExpectedNumberOfMistakes) {
  constexpr int kPoints = 4000;
  for (const auto& params : {Step(), Stairs(5)}) {
    auto points = PointPredictor::Create(params);
    ASSERT_TRUE(points);
    testing::SeededRng rng(6);
    double sum = 0;
    double squares = 0;
    for (std::uint64_t p = 0; p < kPoints; ++p) {
      const auto mistakes =
          static_cast<double>(AnsweredZero(*points, {p, 1}, true, 1500, rng));
      sum += mistakes;
      squares += mistakes * mistakes;
    }
    const double mean = sum / kPoints;
    const double deviation = std::sqrt(squares / kPoints - mean * mean);
    EXPECT_NEAR(mean, points->expected_mistakes(),
                5.2 * deviation / std::sqrt(kPoints));
  }
}

// Counts the words that are drawn.
class CountingRng final : public Rng {
 public:
  // Words that have been used since the last call.
  std::uint64_t Drawn() {
    const std::uint64_t next = Next();
    const std::uint64_t drawn = next - last_;
    last_ = next + 1;
    return drawn;
  }

 private:
  void Produce(std::span<std::uint64_t> words) override {
    for (std::uint64_t& word : words) word = made_++;
  }
  std::uint64_t made_ = 0;
  std::uint64_t last_ = 0;
};

// The gate decides once, in the first round after the last label of the window
// could have come; until then nothing is drawn, and later labels do not count.
TEST(PointPredictorTest, TheGateDecidesOnceAfterTheLastLabelCanHaveCome) {
  for (const std::uint64_t patience : {0, 5}) {
    auto points = PointPredictor::Create(Step(patience));
    ASSERT_TRUE(points);
    const std::uint64_t silent = points->gate().size() + patience;
    EXPECT_EQ(points->silent_rounds(), silent);
    CountingRng rng;
    for (std::uint64_t i = 0; i < silent; ++i) {
      const auto opened = points->Open(kBad, rng);
      EXPECT_EQ(rng.Drawn(), 0U) << i;
      EXPECT_EQ(opened.round.counts, i < points->gate().size()) << i;
      points->Close(opened.round, true);
    }
    points->Open(kBad, rng);
    EXPECT_GT(rng.Drawn(), 0U) << patience;
    points->Open(kBad, rng);
    EXPECT_EQ(rng.Drawn(), 0U) << "a step is drawn with the gate";
  }
}

TEST(PointPredictorTest, ALabelCountsForAsManyRoundsAsItsPatience) {
  constexpr std::uint64_t kPatience = 3;
  for (const std::uint64_t late : {kPatience, kPatience + 1}) {
    auto points = PointPredictor::Create(Step(kPatience));
    ASSERT_TRUE(points);
    testing::SeededRng rng(1);
    std::vector<PointPredictor::Round> waiting;
    const std::uint64_t rounds = points->gate().size();
    for (std::uint64_t i = 0; i < rounds + late; ++i) {
      if (i < rounds) {
        waiting.push_back(points->Open(kBad, rng).round);
      } else {
        points->PlayEmptyRound();
      }
      if (i >= late) points->Close(waiting[i - late], true);
    }
    for (int i = 0; i < 50; ++i) points->Open(kBad, rng);
    EXPECT_EQ(points->points_passed(), late == kPatience ? 1U : 0U);
  }
}

}  // namespace
}  // namespace sotto
