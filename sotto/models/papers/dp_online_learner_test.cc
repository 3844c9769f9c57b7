#include "sotto/models/papers/dp_online_learner.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sotto/models/papers/dp_online_plan.h"
#include "sotto/testing/seeded_rng.h"

namespace sotto {
namespace {

using Params = DpOnlineLearner::Params;

// Far fewer calls, mistakes and votes than the paper's.
Params ExplicitParams() {
  const auto params =
      ChooseDpOnline({.functions = std::make_shared<const FiniteClass>(
                          *FiniteClass::Named("thresholds", 7)),
                      .user = {8, 1e-3},
                      .stages = 2,
                      .calls = 4,
                      .votes = 5,
                      .limit = 300});
  EXPECT_TRUE(params) << (params ? "" : params.error().message);
  return *params;
}

std::uint64_t CountMistakes(DpOnlineLearner& learner, std::uint64_t begin,
                            std::uint64_t end, Rng& rng) {
  std::uint64_t mistakes = 0;
  for (std::uint64_t t = begin; t < end; ++t) {
    const auto x = static_cast<std::uint32_t>(t * 5 % 7);
    const bool y = x >= 6;
    const auto round = learner.Open(x, rng);
    mistakes += round.prediction != y ? 1 : 0;
    learner.Close(round, y);
  }
  return mistakes;
}

TEST(DpOnlineLearnerTest, LearnsWithParametersByHand) {
  auto learner = DpOnlineLearner::Create(ExplicitParams());
  ASSERT_TRUE(learner) << learner.error().message;
  testing::SeededRng rng(1);
  const std::uint64_t mistakes = CountMistakes(*learner, 0, 6000, rng);
  EXPECT_GT(mistakes, 200U);
  EXPECT_LT(mistakes, 1400U);
  EXPECT_EQ(CountMistakes(*learner, 6000, 7000, rng), 0U);
  EXPECT_GT(learner->changes(), 0U);
}

// Readers of what is published see each hypothesis that answers.
TEST(DpOnlineLearnerTest, EveryNewHypothesisIsARelease) {
  auto learner = *DpOnlineLearner::Create(ExplicitParams());
  testing::SeededRng rng(1);
  std::vector<bool> shown = learner.hypothesis();
  std::uint64_t releases = learner.releases();
  EXPECT_EQ(releases, 0U);
  for (std::uint64_t t = 0; t < 3000; ++t) {
    CountMistakes(learner, t, t + 1, rng);
    if (learner.releases() == releases) {
      ASSERT_EQ(learner.hypothesis(), shown) << t;
    }
    releases = learner.releases();
    shown = learner.hypothesis();
  }
  EXPECT_GT(releases, 1U);
}

TEST(DpOnlineLearnerTest, GoesOnFromASavedState) {
  Params params = ExplicitParams();
  params.delay = 3;
  auto learner = *DpOnlineLearner::Create(params);
  testing::SeededRng rng(1);
  CountMistakes(learner, 0, 2500, rng);
  ASSERT_GT(learner.changes(), 0U);
  ByteWriter writer;
  learner.Save(writer);
  ByteReader reader(writer.bytes());
  auto loaded = DpOnlineLearner::Load(params, reader);
  ASSERT_TRUE(loaded) << loaded.error().message;
  testing::SeededRng one(2);
  testing::SeededRng other(2);
  EXPECT_EQ(CountMistakes(learner, 2500, 4000, one),
            CountMistakes(*loaded, 2500, 4000, other));
  EXPECT_EQ(learner.hypothesis(), loaded->hypothesis());
  ByteWriter first;
  ByteWriter second;
  learner.Save(first);
  loaded->Save(second);
  EXPECT_EQ(first.bytes(), second.bytes());
  for (std::size_t cut = 0; cut < writer.bytes().size(); cut += 997) {
    ByteReader damaged(std::string_view(writer.bytes()).substr(0, cut));
    EXPECT_FALSE(DpOnlineLearner::Load(params, damaged));
  }
}

// Every parameter that matters later is in the digest of a state.
TEST(DpOnlineLearnerTest, AStateGoesOnWithItsOwnParametersOnly) {
  const Params params = ExplicitParams();
  const auto learner = *DpOnlineLearner::Create(params);
  ByteWriter writer;
  learner.Save(writer);
  const auto load = [&](const std::function<void(Params&)>& change) {
    Params other = params;
    change(other);
    EXPECT_TRUE(DpOnlineLearner::Create(other));
    ByteReader reader(writer.bytes());
    return DpOnlineLearner::Load(other, reader).has_value();
  };
  EXPECT_TRUE(load([](Params&) {}));
  for (const auto& change : std::vector<std::function<void(Params&)>>{
           [](Params& p) {
             p.functions = std::make_shared<const FiniteClass>(
                 *FiniteClass::Named("points", 7));
           },
           [](Params& p) { p.user.epsilon = 8.5; },
           [](Params& p) { p.user.delta = 2e-3; },
           [](Params& p) { p.sample_rate *= 0.9; },
           [](Params& p) { p.sample_delta *= 0.9; },
           [](Params& p) { p.mistake_rate *= 0.9; },
           [](Params& p) { p.agreement *= 0.9; },
           [](Params& p) { p.delay = 3; }, [](Params& p) { ++p.period; }}) {
    EXPECT_FALSE(load(change));
  }
}

// No function of the class is right: teachers list different ones, and draws
// fall on functions that only some of them have.
std::vector<TeacherLists::Labels> FirstDrawn(DpOnlineLearner& learner,
                                             std::uint64_t seed) {
  testing::SeededRng rng(seed);
  for (std::uint32_t t = 0; t < 400 && learner.changes() == 0; ++t) {
    learner.Close(learner.Open(t % 8, rng), true);
  }
  return learner.drawn();
}

// With a small p, lists are worked out as they are asked for.
class SavedBeforeACallTest : public ::testing::TestWithParam<std::uint64_t> {};

INSTANTIATE_TEST_SUITE_P(P, SavedBeforeACallTest, ::testing::Values(1, 8));

TEST_P(SavedBeforeACallTest, DrawsTheSameFunctions) {
  const auto params =
      ChooseDpOnline({.functions = std::make_shared<const FiniteClass>(
                          *FiniteClass::Named("points", 8)),
                      .user = {8, 1e-3},
                      .p = GetParam(),
                      .stages = 2,
                      .calls = 4,
                      .votes = 5,
                      .limit = 40});
  ASSERT_TRUE(params) << params.error().message;
  int drawn = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    auto learner = *DpOnlineLearner::Create(*params);
    testing::SeededRng rng(seed);
    for (int t = 0; t < 3; ++t) learner.PlayEmptyRound(rng);
    ByteWriter writer;
    learner.Save(writer);
    ByteReader reader(writer.bytes());
    auto loaded = DpOnlineLearner::Load(*params, reader);
    ASSERT_TRUE(loaded) << loaded.error().message;
    const auto expected = FirstDrawn(learner, 1000 + seed);
    EXPECT_EQ(FirstDrawn(*loaded, 1000 + seed), expected) << seed;
    drawn += expected.empty() ? 0 : 1;
  }
  EXPECT_GT(drawn, 20);
}

TEST(DpOnlineLearnerTest, RefusesWhatCostsMoreThanTheBudget) {
  for (const auto& spoil : std::vector<void (*)(Params&)>{
           [](Params& p) { p.sample_rate *= 4; },
           [](Params& p) { p.mistake_rate = 4; },
           [](Params& p) { p.agreement = 2; },
           [](Params& p) { p.sample_delta = 1e-4; },
           [](Params& p) { p.rounds_per_user = 4; },
           [](Params& p) { p.calls = 0; }, [](Params& p) { p.votes = 0; },
           [](Params& p) { p.limit = 0; }, [](Params& p) { p.period = 0; },
           [](Params& p) { p.stages = 0; }, [](Params& p) { p.teachers = 0; },
           [](Params& p) { p.tolerance = 1; }}) {
    Params params = ExplicitParams();
    ASSERT_TRUE(DpOnlineLearner::Create(params));
    spoil(params);
    EXPECT_FALSE(DpOnlineLearner::Create(params));
  }
}

// DpOnlineDelta accounts for the rate at which the learner draws.
TEST(DpOnlineLearnerTest, DrawsAtTheRateThatIsAccounted) {
  for (const double less : {1.0, 0.6}) {
    for (const double smaller : {1.0, 0.1}) {
      Params params = ExplicitParams();
      const double rate = params.sample_rate *= less;
      const double delta = params.sample_delta *= smaller;
      const auto learner = DpOnlineLearner::Create(params);
      ASSERT_TRUE(learner) << learner.error().message;
      const Guarantee& draw = learner->sample().guarantee();
      EXPECT_EQ(draw.relation(), Relation::kReplace);
      EXPECT_EQ(draw.epsilon(), 2 * rate);
      EXPECT_LE(draw.delta(), delta);
      const auto size = static_cast<double>(params.list_size);
      const double least = 1 + std::log(size * (1 - delta) / delta) / rate;
      EXPECT_EQ(learner->sample().bottom(), std::ceil(least));
    }
  }
}

// J tests of agreement may fail over any number of calls: here every second or
// so does.
TEST(DpOnlineLearnerTest, StagesAreNeverGoneBackTo) {
  Params params = ExplicitParams();
  params.mistake_rate = 0.05;
  params.limit = 1;
  params.threshold = static_cast<std::int64_t>(params.teachers) - 1;
  int went_on = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    auto learner = *DpOnlineLearner::Create(params);
    testing::SeededRng rng(seed);
    std::uint64_t stage = 1;
    for (int t = 0; t < 60 && !learner.halted(); ++t) {
      const std::uint64_t changes = learner.changes();
      learner.PlayEmptyRound(rng);
      EXPECT_GE(learner.stage(), stage);
      went_on += stage == 2 && learner.changes() > changes ? 1 : 0;
      stage = learner.stage();
    }
  }
  EXPECT_GT(went_on, 20);
}

TEST(DpOnlineLearnerTest, RoundsOutsideTheClassAreEmpty) {
  auto one = *DpOnlineLearner::Create(ExplicitParams());
  auto other = *DpOnlineLearner::Create(ExplicitParams());
  testing::SeededRng rng(3);
  testing::SeededRng same(3);
  for (int t = 0; t < 300; ++t) {
    one.Close(one.Open(7, rng), true);
    other.PlayEmptyRound(same);
  }
  ByteWriter first;
  ByteWriter second;
  one.Save(first);
  other.Save(second);
  EXPECT_EQ(first.bytes(), second.bytes());
}

}  // namespace
}  // namespace sotto
