// Both worlds with one and the same randomness, for every model that is in the
// registry: as long as everybody else has seen the same, noise is added at the
// same sites, to numbers that are as close as is declared, and as many words
// are drawn.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "sotto/learners/classes/finite_class.h"
#include "sotto/models/fits/greedy_cover/greedy_cover.h"
#include "sotto/models/fits/private_fit.h"
#include "sotto/models/papers/littlestone_erm.h"
#include "sotto/models/papers/littlestone_erm_plan.h"
#include "sotto/models/registry/every_model_test_tools.h"
#include "sotto/models/registry/registry.h"
#include "sotto/online/online_model.h"
#include "sotto/testing/replay_rng.h"

namespace sotto {
namespace {

using testing::FirstDifference;
using testing::ReplayRng;

constexpr std::size_t kRounds = 120;
constexpr std::size_t kProtected = 30;

enum class Change { kNone, kReplaced, kAbsent, kUnlabelled };

struct Shown {
  std::uint64_t phase = 0;
  bool halted = false;
  std::string prediction;  // to others, and published
  friend bool operator==(const Shown&, const Shown&) = default;
};

FeatureVector Features(std::size_t i) {
  FeatureVector x;
  for (std::uint32_t j = 0; j < kTestFeatures; ++j) {
    x.push_back({j, (i * 2654435761U >> (7 + j)) % 2 == 0 ? 1. : -1.});
  }
  return x;
}

// One round, and what everybody but its user knows after it.
Shown PlayRound(OnlineModel& model, std::size_t i, Change change, Rng& rng) {
  const bool own = i == kProtected;
  FeatureVector x = Features(i);
  bool y = x[0].value > 0;
  if (own && change == Change::kReplaced) {
    for (Feature& feature : x) feature.value = -feature.value;
    y = !y;
  }
  Shown shown;
  if (own && change == Change::kAbsent) {
    EXPECT_TRUE(model.PlayEmptyRound(rng));
  } else {
    auto opened = model.Open(x, "user" + std::to_string(i), rng);
    EXPECT_TRUE(opened);
    if (!opened) return shown;
    if (!own) {
      shown.prediction = std::to_string(opened->prediction.number());
    }
    if (opened->open != nullptr && !(own && change == Change::kUnlabelled)) {
      EXPECT_TRUE(model.Close(std::move(opened->open), Label(y)));
    }
  }
  if (const auto published = model.hypothesis()) {
    shown.prediction += published->Dump();
  }
  shown.phase = model.phase();
  shown.halted = model.halted();
  return shown;
}

// Training set for models that take one.
RoundSource LabelledSet() {
  return [next = std::size_t{0}](Round& round) mutable -> Result<bool> {
    if (next == 2 * kRounds) return false;
    round = Round{};
    round.x = Features(next++);
    round.y = Label(round.x[0].value > 0);
    return true;
  };
}

// One world, until it halts: a stream a round, as in a session, so that the
// draws of the protected round, which are not shown, do not move the noise of
// other rounds.
std::vector<Shown> PlayAll(OnlineModel& model, Change change, ReplayRng& rng) {
  std::vector<Shown> all;
  for (std::size_t i = 0; i < kRounds && !model.halted(); ++i) {
    rng.BeginRound(i + 1, i == kProtected);
    all.push_back(PlayRound(model, i, change, rng));
  }
  rng.End();
  return all;
}

class SameNoiseTest : public ::testing::TestWithParam<const OnlineModelEntry*> {
};

TEST_P(SameNoiseTest, NoiseDependsOnWhatEverybodyHasSeenAlone) {
  const OnlineModelEntry& entry = *GetParam();
  const Settings settings = MakeExample(entry);
  InputSpec inputs = TestInputs(entry);
  ASSERT_TRUE(std::ranges::count(entry.labels, LabelType::Kind::kTwo))
      << "a model without two labels needs rounds of its own here";
  inputs.label = {};
  const ModelRequest request{settings, inputs, {1, 1e-6}};
  // Planning takes time: one is made, the others are read from its state.
  auto first = entry.create(request);
  ASSERT_TRUE(first) << first.error().message;
  if (entry.needs_training_set) {
    ReplayRng rng(2);
    ASSERT_TRUE((*first)->Train(LabelledSet(), rng));
  }
  ByteWriter state;
  ASSERT_TRUE((*first)->Save(state));
  const auto play = [&](Change change, ReplayRng& rng) {
    ByteReader reader(state.bytes());
    auto model = entry.load(request, reader);
    EXPECT_TRUE(model);
    return model ? PlayAll(**model, change, rng) : std::vector<Shown>();
  };
  ReplayRng here(1);
  const std::vector<Shown> zero = play(Change::kNone, here);
  for (const Change change :
       {Change::kReplaced, Change::kAbsent, Change::kUnlabelled}) {
    ReplayRng there(1, here);
    const std::vector<Shown> one = play(change, there);
    const auto apart = std::ranges::mismatch(zero, one).in1 - zero.begin();
    // Compared beyond the protected round, or the test shows nothing.
    EXPECT_GT(apart, static_cast<std::ptrdiff_t>(kProtected) + 1);
    const auto different =
        FirstDifference(here, there, static_cast<std::uint64_t>(apart) + 1);
    EXPECT_EQ(different.what, "") << "round " << different.round;
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, SameNoiseTest, ::testing::ValuesIn(OnlineModels()),
    [](const ::testing::TestParamInfo<const OnlineModelEntry*>& entry) {
      return std::string(entry.param->name);
    });

// Batch models that are not fits. The fits are replayed in fits_test.cc.
const std::set<std::string_view> kOtherBatches = {"greedy-cover",
                                                  "littlestone-erm"};

TEST(SameNoiseBatchTest, EveryBatchModelIsAFitOrReplayedHere) {
  for (const BatchModelEntry* entry : BatchModels()) {
    EXPECT_TRUE(FindFit(entry->name) != nullptr ||
                kOtherBatches.contains(entry->name))
        << entry->name << " has no replay";
  }
}

// The word that is drawn next, after a list was learned from rows of which the
// last is this one.
std::uint64_t AfterCover(const GreedyCover& learner, std::uint32_t x,
                         bool label) {
  CoverData data(learner.space());
  for (std::uint32_t i = 0; i < 30; ++i) {
    data.Add(std::vector{i % 2}, i % 2 == 1);
  }
  data.Add(std::vector{x}, label);
  ReplayRng rng(1);
  learner.Fit(data, rng);
  return rng.Next();
}

TEST(SameNoiseBatchTest, AListDrawsTheSameWhateverTheRowsAre) {
  const FitColumns columns({{.name = "b", .kind = FitColumn::Kind::kBoolean}});
  const auto learner =
      GreedyCover::Create({.epsilon = 1, .delta = 1e-6, .rules = 3},
                          *RuleSpace::Create(columns, 1));
  ASSERT_TRUE(learner);
  EXPECT_EQ(AfterCover(*learner, 0, false), AfterCover(*learner, 1, true));
  EXPECT_EQ(AfterCover(*learner, 0, false), AfterCover(*learner, 0, true));
}

TEST(SameNoiseBatchTest, TeachersThatAgreeDrawTheSame) {
  const auto functions =
      std::make_shared<const FiniteClass>(*FiniteClass::Named("thresholds", 7));
  const auto params =
      ChooseErm({.functions = functions, .budget = {.user = {2, 1e-3}}});
  ASSERT_TRUE(params) << params.error().message;
  const auto erm = LittlestoneErm::Create(*params);
  ASSERT_TRUE(erm) << erm.error().message;
  const auto batch = [](bool label) {
    FitBatch rows(1);
    for (std::uint32_t i = 0; i < 400; ++i) {
      rows.Add(std::vector{i % 7}, i % 7 >= 3);
    }
    rows.Add(std::vector{1U}, label);
    return rows;
  };
  std::size_t compared = 0;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    ReplayRng here(seed);
    const FitHypothesis zero = (*erm)->Fit(batch(false), here);
    here.End();
    ReplayRng there(seed, here);
    const FitHypothesis one = (*erm)->Fit(batch(true), there);
    there.End();
    if (zero != one) continue;
    ++compared;
    EXPECT_EQ(FirstDifference(here, there).what, "");
  }
  EXPECT_GT(compared, 0u);
}

}  // namespace
}  // namespace sotto
