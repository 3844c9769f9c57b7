#include "sotto/learners/ensembles/linear_ensemble.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "sotto/learners/ensembles/copies.h"
#include "sotto/learners/ensembles/linear_kernel.h"
#include "sotto/learners/linear_learner.h"
#include "sotto/testing/seeded_rng.h"

namespace sotto {
namespace {

using Step = Ensemble::Step;

constexpr LogisticRule kLogistic{.rate = 0.3};

std::vector<LinearPath> Paths() {
  std::vector<LinearPath> paths;
  for (const auto path :
       {LinearPath::kPlain, LinearPath::kAvx2, LinearPath::kAvx512}) {
    if (IsSupported(path)) paths.push_back(path);
  }
  return paths;
}

struct Shape {
  std::uint32_t dimension = 20;
  std::int64_t copies = 50;
  std::uint32_t listed = 20;       // features a round lists, on average
  std::uint32_t beyond = 0;        // indices from `dimension` on
  std::int64_t taught_among = 50;  // number of copies that are taught
  double size = 1;                 // of the values
};

struct Stream {
  std::vector<FeatureVector> xs;
  std::vector<Step> steps;
};

double Unit(Rng& rng) { return static_cast<double>(rng.Next()) * 0x1p-64; }

Stream RandomStream(const Shape& shape, std::size_t rounds, Rng& rng) {
  Stream stream;
  for (std::size_t i = 0; i < rounds; ++i) {
    FeatureVector x;
    for (std::uint32_t j = 0; j < shape.dimension + shape.beyond; ++j) {
      if (rng.Next() % shape.dimension >= shape.listed) continue;
      // Some listed values are 0, of either sign.
      const double value = shape.size * (2 * Unit(rng) - 1);
      x.push_back(
          {j, rng.Next() % 16 == 0 ? std::copysign(0.0, value) : value});
    }
    stream.xs.push_back(std::move(x));
  }
  for (const FeatureVector& x : stream.xs) {
    const bool taught = rng.Next() % 4 != 0;
    const auto copy = static_cast<std::int64_t>(
        rng.Next() % static_cast<std::uint64_t>(shape.taught_among));
    stream.steps.push_back({.x = x,
                            .copy = taught ? copy : Step::kNobody,
                            .y = (rng.Next() & 1) != 0});
  }
  return stream;
}

// The plain loop over independent copies.
template <typename Rule>
class Loop {
 public:
  Loop(Rule rule, const Shape& shape)
      : copies_(FreshCopies(LinearLearner<Rule>(shape.dimension, rule),
                            shape.copies)) {}

  std::int64_t Votes(FeatureView x) const {
    std::int64_t votes = 0;
    for (const auto& copy : copies_) votes += copy.Predict(x) ? 1 : 0;
    return votes;
  }
  std::int64_t Play(const Step& step) {
    const std::int64_t votes = Votes(step.x);
    if (step.copy != Step::kNobody) {
      copies_[static_cast<std::size_t>(step.copy)].Update(step.x, step.y);
    }
    return votes;
  }
  std::vector<std::int64_t> Play(std::span<const Step> steps) {
    std::vector<std::int64_t> votes;
    for (const Step& step : steps) votes.push_back(Play(step));
    return votes;
  }
  // Bit for bit.
  bool HasWeights(const LinearEnsemble& ensemble) const {
    for (std::size_t c = 0; c < copies_.size(); ++c) {
      const auto weights = copies_[c].weights();
      for (std::uint32_t i = 0; i < weights.size(); ++i) {
        const double weight = ensemble.weight(static_cast<std::int64_t>(c), i);
        if (std::bit_cast<std::uint64_t>(weight) !=
            std::bit_cast<std::uint64_t>(weights[i])) {
          return false;
        }
      }
    }
    return true;
  }

 private:
  std::vector<LinearLearner<Rule>> copies_;
};

LinearEnsemble Make(LinearRule rule, const Shape& shape,
                    LinearPath path = BestLinearPath(), int threads = 1) {
  return *LinearEnsemble::Create({.rule = rule,
                                  .dimension = shape.dimension,
                                  .copies = shape.copies,
                                  .threads = threads,
                                  .path = path});
}

// Plays the stream in batches of the sizes given, over and over.
std::vector<std::int64_t> PlayInBatches(LinearEnsemble& ensemble,
                                        std::span<const Step> steps,
                                        std::span<const std::size_t> sizes) {
  std::vector<std::int64_t> votes(steps.size(), -1);
  std::size_t done = 0;
  for (std::size_t i = 0; done < steps.size(); ++i) {
    const std::size_t size =
        std::min(sizes[i % sizes.size()], steps.size() - done);
    EXPECT_TRUE(ensemble.Play(steps.subspan(done, size),
                              std::span(votes).subspan(done, size)));
    done += size;
  }
  return votes;
}

// All paths, one stream, batches of many sizes: every vote and every weight.
template <typename Rule>
void ExpectEqualsLoop(Rule rule, const Shape& shape, std::size_t rounds,
                      std::uint64_t seed) {
  testing::SeededRng rng(seed);
  const Stream stream = RandomStream(shape, rounds, rng);
  Loop<Rule> loop(rule, shape);
  const auto expected = loop.Play(stream.steps);
  const std::size_t sizes[] = {1, 2, 7, 8, 9, 40, 64, 300, 31, 100};
  for (const LinearPath path : Paths()) {
    LinearEnsemble ensemble = Make(rule, shape, path);
    EXPECT_EQ(PlayInBatches(ensemble, stream.steps, sizes), expected)
        << "path " << static_cast<int>(path);
    EXPECT_TRUE(loop.HasWeights(ensemble));
  }
}

TEST(LinearEnsembleTest, PerceptronsEqualTheLoopOnDenseRounds) {
  ExpectEqualsLoop(PerceptronRule{}, {}, 700, 1);
}

TEST(LinearEnsembleTest, LogisticRegressionsEqualTheLoopOnDenseRounds) {
  ExpectEqualsLoop(kLogistic, {}, 700, 2);
}

TEST(LinearEnsembleTest, EqualsTheLoopOnSparseRounds) {
  ExpectEqualsLoop(PerceptronRule{}, {.dimension = 200, .listed = 2}, 500, 3);
  ExpectEqualsLoop(kLogistic, {.dimension = 200, .listed = 5}, 500, 4);
}

TEST(LinearEnsembleTest, EqualsTheLoopOnHalfListedRounds) {
  ExpectEqualsLoop(kLogistic, {.listed = 8}, 700, 5);
  ExpectEqualsLoop(kLogistic, {.listed = 15}, 700, 6);
}

TEST(LinearEnsembleTest, EqualsTheLoopWhenACopyIsTaughtManyTimesInABatch) {
  ExpectEqualsLoop(kLogistic, {.taught_among = 1}, 700, 7);
  ExpectEqualsLoop(PerceptronRule{}, {.taught_among = 3}, 700, 8);
}

TEST(LinearEnsembleTest, EqualsTheLoopForEveryNumberOfCopiesAroundABlock) {
  for (const std::int64_t copies : {1, 2, 23, 24, 25, 47, 48, 49}) {
    ExpectEqualsLoop(
        kLogistic,
        {.dimension = 5, .copies = copies, .listed = 5, .taught_among = copies},
        100, 9 + static_cast<std::uint64_t>(copies));
  }
}

TEST(LinearEnsembleTest, EqualsTheLoopOnBatchesOfEverySize) {
  const Shape shape{
      .dimension = 6, .copies = 30, .listed = 4, .taught_among = 30};
  testing::SeededRng rng(60);
  const Stream stream = RandomStream(shape, 300, rng);
  Loop<LogisticRule> loop(kLogistic, shape);
  const auto expected = loop.Play(stream.steps);
  for (std::size_t size = 1; size <= 300; ++size) {
    LinearEnsemble ensemble = Make(kLogistic, shape);
    const std::size_t sizes[] = {size};
    ASSERT_EQ(PlayInBatches(ensemble, stream.steps, sizes), expected) << size;
  }
}

TEST(LinearEnsembleTest, IgnoresFeaturesFromTheDimensionOn) {
  ExpectEqualsLoop(kLogistic, {.beyond = 6}, 300, 61);
  LinearEnsemble ensemble = Make(PerceptronRule{}, {.dimension = 2});
  const FeatureVector far{{std::numeric_limits<std::uint32_t>::max(), 1.0}};
  EXPECT_TRUE(ensemble.Update(0, far, false));
  EXPECT_EQ(*ensemble.Votes(far), 24);  // Its bias alone has learned.
}

TEST(LinearEnsembleTest, EqualsTheLoopWhenScoresUnderflow) {
  ExpectEqualsLoop(kLogistic, {.size = 1e-160}, 300, 62);
  ExpectEqualsLoop(PerceptronRule{}, {.listed = 5, .size = 5e-324}, 300, 63);
}

TEST(LinearEnsembleTest, EqualsTheLoopWhenScoresOverflow) {
  ExpectEqualsLoop(PerceptronRule{}, {.listed = 5, .size = 1e200}, 300, 64);
}

// An infinite weight ignores an unlisted feature; times a listed zero it is
// NaN.
TEST(LinearEnsembleTest, EqualsTheLoopWhenWeightsOverflow) {
  for (const std::uint32_t listed : {2, 12, 20}) {
    const Shape shape{.listed = listed, .taught_among = 8, .size = 1.7e308};
    testing::SeededRng rng(65 + listed);
    const Stream stream = RandomStream(shape, 500, rng);
    Loop<LogisticRule> loop({.rate = 1}, shape);
    const auto expected = loop.Play(stream.steps);
    bool overflowed = false;
    for (const LinearPath path : Paths()) {
      LinearEnsemble ensemble = Make(LogisticRule{.rate = 1}, shape, path);
      const std::size_t sizes[] = {50, 1, 9, 300};
      EXPECT_EQ(PlayInBatches(ensemble, stream.steps, sizes), expected);
      for (std::uint32_t i = 0; i < 20; ++i) {
        overflowed = overflowed || !std::isfinite(ensemble.weight(0, i));
      }
    }
    EXPECT_TRUE(overflowed);
  }
}

TEST(LinearEnsembleTest, VotesAndUpdateEqualPlay) {
  const Shape shape;
  testing::SeededRng rng(70);
  const Stream stream = RandomStream(shape, 200, rng);
  LinearEnsemble ensemble = Make(kLogistic, shape);
  Loop<LogisticRule> loop(kLogistic, shape);
  for (const Step& step : stream.steps) {
    EXPECT_EQ(*ensemble.Votes(step.x), loop.Votes(step.x));
    EXPECT_EQ(*ensemble.Votes(step.x), loop.Play(step));
    if (step.copy == Step::kNobody) continue;
    EXPECT_TRUE(ensemble.Update(step.copy, step.x, step.y));
  }
  EXPECT_TRUE(loop.HasWeights(ensemble));
}

TEST(LinearEnsembleTest, ThreadsChangeNothing) {
  const Shape shape{.copies = 200, .taught_among = 200};
  testing::SeededRng rng(71);
  const Stream stream = RandomStream(shape, 300, rng);
  const std::size_t sizes[] = {150, 1, 60};
  LinearEnsemble one = Make(kLogistic, shape);
  const auto expected = PlayInBatches(one, stream.steps, sizes);
  for (const int threads : {2, 3, 20}) {
    LinearEnsemble many = Make(kLogistic, shape, BestLinearPath(), threads);
    EXPECT_EQ(PlayInBatches(many, stream.steps, sizes), expected);
  }
}

TEST(LinearEnsembleTest, WideRoundsAreCutIntoShorterBatches) {
  const std::uint32_t wide = LinearRounds::kMaxValues / 16;
  const Shape shape{
      .dimension = wide, .copies = 3, .listed = wide, .taught_among = 3};
  testing::SeededRng rng(72);
  const Stream stream = RandomStream(shape, 20, rng);
  LinearRounds rounds(wide);
  EXPECT_EQ(rounds.Pack(stream.steps), 16U);
  ExpectEqualsLoop(kLogistic, shape, 20, 73);
}

TEST(LinearEnsembleTest, TheBestBatchGrowsWithTheCopies) {
  EXPECT_EQ(Make(kLogistic, {.copies = 1}).preferred_batch_size(), 8U);
  EXPECT_EQ(Make(kLogistic, {.copies = 1600}).preferred_batch_size(), 48U);
  EXPECT_EQ(Make(kLogistic, {.copies = 100'000}).preferred_batch_size(), 256U);
}

TEST(LinearEnsembleTest, HalfOfAFreshEnsembleVotesOne) {
  LinearEnsemble ensemble = Make(kLogistic, {});
  EXPECT_EQ(*ensemble.Votes({}), 25);
  const FeatureVector x{{0, 1.0}, {3, -2.0}};
  EXPECT_EQ(*ensemble.Votes(x), 25);
  EXPECT_TRUE(ensemble.Play({}, {}));
}

TEST(LinearEnsembleTest, ALoadedEnsembleGoesOnBitForBit) {
  // Some weights overflow before and some after.
  const Shape shape{.listed = 12, .taught_among = 8, .size = 1.7e308};
  testing::SeededRng rng(74);
  const Stream stream = RandomStream(shape, 400, rng);
  const auto steps = std::span<const Step>(stream.steps);
  const std::size_t sizes[] = {60};
  LinearEnsemble ensemble = Make(LogisticRule{.rate = 1}, shape);
  PlayInBatches(ensemble, steps.first(200), sizes);
  ByteWriter saved;
  ASSERT_TRUE(ensemble.Save(saved));
  LinearEnsemble loaded = Make(LogisticRule{.rate = 1}, shape);
  ByteReader reader(saved.bytes());
  ASSERT_TRUE(loaded.Load(reader));
  EXPECT_TRUE(reader.Finish());
  EXPECT_EQ(PlayInBatches(loaded, steps.subspan(200), sizes),
            PlayInBatches(ensemble, steps.subspan(200), sizes));
  ByteWriter again;
  ByteWriter other;
  ASSERT_TRUE(ensemble.Save(again));
  ASSERT_TRUE(loaded.Save(other));
  EXPECT_EQ(again.bytes(), other.bytes());
}

TEST(LinearEnsembleTest, ALoadedInfiniteWeightStillMeetsListedFeaturesOnly) {
  const Shape shape{.dimension = 2, .copies = 1};
  LinearEnsemble ensemble = Make(PerceptronRule{}, shape);
  const FeatureVector low{{0, 1.0}};
  const FeatureVector low_huge{{0, 1e200}};
  const FeatureVector high{{1, 1.7e308}};
  const FeatureVector both{{0, 1e200}, {1, 1.7e308}};
  ASSERT_TRUE(ensemble.Update(0, high, false));
  ASSERT_TRUE(ensemble.Update(0, low_huge, true));
  ASSERT_TRUE(ensemble.Update(0, both, false));
  ASSERT_TRUE(ensemble.Update(0, low, true));
  ASSERT_EQ(ensemble.weight(0, 1), -std::numeric_limits<double>::infinity());
  ByteWriter saved;
  ASSERT_TRUE(ensemble.Save(saved));
  LinearEnsemble loaded = Make(PerceptronRule{}, shape);
  ByteReader reader(saved.bytes());
  ASSERT_TRUE(loaded.Load(reader));
  // One tile: `low` is filled with a zero where the weight is infinite.
  std::vector<Step> steps(7, Step{.x = low});
  steps.push_back({.x = high});
  std::vector<std::int64_t> votes(8);
  ASSERT_TRUE(loaded.Play(steps, votes));
  EXPECT_EQ(votes, (std::vector<std::int64_t>{1, 1, 1, 1, 1, 1, 1, 0}));
}

TEST(LinearEnsembleTest, LoadRefusesWhatSaveDidNotWrite) {
  LinearEnsemble ensemble = Make(kLogistic, {});
  const FeatureVector x{{3, 1.0}};
  ASSERT_TRUE(ensemble.Update(7, x, false));
  ByteWriter saved;
  ASSERT_TRUE(ensemble.Save(saved));
  const auto refused = [](std::string_view bytes, const Shape& shape) {
    LinearEnsemble fresh = Make(kLogistic, shape);
    ByteReader reader(bytes);
    const Status status = fresh.Load(reader);
    return !status && status.error().code == ErrorCode::kCorruption;
  };
  const std::string& bytes = saved.bytes();
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_TRUE(refused(bytes.substr(0, size), {})) << size;
  }
  EXPECT_TRUE(refused(bytes, {.copies = 51}));
  EXPECT_TRUE(refused(bytes, {.dimension = 21}));
  std::string flag = bytes;
  flag[12] = 2;  // Flag of copy 0, after the header.
  EXPECT_TRUE(refused(flag, {}));
  EXPECT_FALSE(refused(bytes, {}));
}

TEST(LinearEnsembleTest, CreateNamesTheSizeItRefuses) {
  const auto big = LinearEnsemble::Create(
      {.dimension = 99, .copies = 49, .max_bytes = 57'599});
  ASSERT_FALSE(big);
  EXPECT_EQ(big.error().code, ErrorCode::kInvalidArgument);
  // 3 blocks of 24 copies, 100 weights each.
  EXPECT_NE(big.error().message.find("57600 bytes"), std::string::npos);
  EXPECT_TRUE(LinearEnsemble::Create(
      {.dimension = 99, .copies = 49, .max_bytes = 57'600}));
  EXPECT_FALSE(LinearEnsemble::Create(
      {.dimension = std::numeric_limits<std::uint32_t>::max(),
       .copies = std::numeric_limits<std::int64_t>::max(),
       .max_bytes = std::uint64_t{1} << 50}));
}

TEST(LinearEnsembleTest, CreateRefusesSenselessParameters) {
  EXPECT_FALSE(LinearEnsemble::Create({.dimension = 1, .copies = 0}));
  EXPECT_FALSE(LinearEnsemble::Create({.dimension = 0, .copies = 1}));
  EXPECT_FALSE(
      LinearEnsemble::Create({.dimension = 1, .copies = 1, .threads = 0}));
  for (const double rate : {0.0, -1.0, std::numeric_limits<double>::infinity(),
                            std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_FALSE(LinearEnsemble::Create(
        {.rule = LogisticRule{.rate = rate}, .dimension = 1, .copies = 1}));
  }
  EXPECT_TRUE(LinearEnsemble::Create({.dimension = 1, .copies = 1}));
}

}  // namespace
}  // namespace sotto
