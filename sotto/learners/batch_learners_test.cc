#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "sotto/learners/best_stump_learner.h"
#include "sotto/learners/erm_learner.h"

namespace sotto {
namespace {

std::uint64_t Mixed(std::uint64_t i) {
  i = (i + 0x9e3779b97f4a7c15U) * 0xbf58476d1ce4e5b9U;
  return (i ^ (i >> 29)) * 0x94d049bb133111ebU >> 11;
}
double Unit(std::uint64_t i) { return static_cast<double>(Mixed(i)) * 0x1p-53; }

struct Example {
  FeatureVector x;
  bool y = false;
};

// 1 below 0.3 on axis 1; every `wrong`-th label is flipped.
std::vector<Example> Falling(std::size_t rows, std::size_t wrong) {
  std::vector<Example> examples;
  for (std::size_t i = 0; i < rows; ++i) {
    Example e{.x = {{0, Unit(3 * i)}, {1, Unit(3 * i + 1)}}};
    e.y = (e.x[1].value < 0.3) != (wrong > 0 && i % wrong == 0);
    examples.push_back(e);
  }
  return examples;
}

template <typename L>
std::size_t Errors(const L& learner, const std::vector<Example>& examples) {
  std::size_t errors = 0;
  for (const Example& e : examples) errors += learner.Predict(e.x) != e.y;
  return errors;
}

TEST(BestStumpLearnerTest, FindsTheStumpAlsoAmongWrongLabels) {
  for (const std::size_t wrong : {0, 5}) {
    BestStumpLearner learner(2, {});
    const auto examples = Falling(400, wrong);
    for (const Example& e : examples) learner.Update(e.x, e.y);
    EXPECT_EQ(learner.axis(), 1U);
    EXPECT_FALSE(learner.positive_above());
    EXPECT_NEAR(learner.threshold(), 0.3, 0.03);
  }
}

// All stumps through the middles of neighbours and beyond the ends.
std::size_t LeastErrors(const std::vector<Example>& examples) {
  std::size_t least = examples.size();
  for (std::uint32_t axis = 0; axis < 2; ++axis) {
    std::vector<double> values = {-1, 2};
    for (const Example& e : examples) values.push_back(e.x[axis].value);
    std::sort(values.begin(), values.end());
    for (std::size_t i = 1; i < values.size(); ++i) {
      const double cut = (values[i - 1] + values[i]) / 2;
      std::size_t errors = 0;
      for (const Example& e : examples) {
        errors += (e.x[axis].value >= cut) != e.y;
      }
      least = std::min({least, errors, examples.size() - errors});
    }
  }
  return least;
}

TEST(BestStumpLearnerTest, NoStumpHasFewerErrorsOnWhatItWasFittedOn) {
  // Up to 8 examples every update is a fit.
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    BestStumpLearner learner(2, {});
    std::vector<Example> examples;
    for (std::uint64_t i = 0; i < 8; ++i) {
      const std::uint64_t at = 100 * seed + 3 * i;
      // Few values, so that some are equal, and some are at the ends.
      examples.push_back({{{0, static_cast<double>(Mixed(at) % 5) / 4},
                           {1, static_cast<double>(Mixed(at + 1) % 5) / 4}},
                          Mixed(at + 2) % 2 == 0});
      learner.Update(examples.back().x, examples.back().y);
      EXPECT_EQ(Errors(learner, examples), LeastErrors(examples));
    }
  }
}

TEST(BestStumpLearnerTest, GoesOnFromWhatWasSavedAsIfNothingHadHappened) {
  const auto examples = Falling(100, 7);
  BestStumpLearner whole(2, {});
  BestStumpLearner half(2, {});
  for (std::size_t i = 0; i < 57; ++i)
    half.Update(examples[i].x, examples[i].y);
  ByteWriter writer;
  half.Save(writer);
  BestStumpLearner loaded(2, {});
  ByteReader reader(writer.bytes());
  ASSERT_TRUE(loaded.Load(reader));
  for (std::size_t i = 0; i < 100; ++i) {
    whole.Update(examples[i].x, examples[i].y);
    if (i < 57) continue;
    loaded.Update(examples[i].x, examples[i].y);
    EXPECT_EQ(loaded.axis(), whole.axis());
    EXPECT_EQ(loaded.threshold(), whole.threshold());
  }
  ByteReader cut(std::string_view(writer.bytes()).substr(0, 40));
  EXPECT_FALSE(loaded.Load(cut));
}

TEST(ErmLearnerTest, IsTheMiddleOfTheFunctionsWithTheFewestErrors) {
  const auto named = FiniteClass::Named("thresholds", 8);
  ASSERT_TRUE(named);
  const auto functions = std::make_shared<const FiniteClass>(*named);
  ErmLearner learner(functions);
  const auto teach = [&](double point, bool y) {
    learner.Update(FeatureVector{{0, point}}, y);
  };
  teach(1, false);
  teach(6, true);
  // 1 from 2, 3, 4, 5 or 6 on.
  EXPECT_FALSE(learner.Predict(FeatureVector{{0, 3}}));
  EXPECT_TRUE(learner.Predict(FeatureVector{{0, 4}}));
  // One wrong label does not undo three right ones.
  teach(1, false);
  teach(1, true);
  EXPECT_FALSE(learner.Predict(FeatureVector{{0, 1}}));
  EXPECT_TRUE(learner.Predict(FeatureVector{{0, 6}}));
  ByteWriter writer;
  learner.Save(writer);
  ErmLearner loaded(functions);
  ByteReader reader(writer.bytes());
  ASSERT_TRUE(loaded.Load(reader));
  EXPECT_EQ(loaded.best(), learner.best());
}

}  // namespace
}  // namespace sotto
