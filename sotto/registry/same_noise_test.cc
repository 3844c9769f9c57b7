// Both worlds with one and the same randomness, for every model that is in the
// registry: as long as everybody else has seen the same, noise is added at the
// same sites, to numbers that are as close as is declared, and as many words
// are drawn.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sotto/model/online_model.h"
#include "sotto/registry/every_model_test_tools.h"
#include "sotto/registry/registry.h"
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
  std::string told;  // to others, and published
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
    EXPECT_TRUE(model.Tick(rng));
  } else {
    auto opened = model.Open(x, "user" + std::to_string(i), rng);
    EXPECT_TRUE(opened);
    if (!opened) return shown;
    if (!own) {
      shown.told = std::to_string(opened->told.number());
    }
    if (opened->open != nullptr && !(own && change == Change::kUnlabelled)) {
      EXPECT_TRUE(model.Close(std::move(opened->open), Label(y)));
    }
  }
  if (const auto published = model.hypothesis()) {
    shown.told += published->Dump();
  }
  shown.phase = model.phase();
  shown.halted = model.halted();
  return shown;
}

// What a model starts from that takes a labelled set.
RoundSource LabelledSet() {
  return [next = std::size_t{0}](Round& round) mutable -> Result<bool> {
    if (next == 2 * kRounds) return false;
    round = Round{};
    round.x = Features(next++);
    round.y = Label(round.x[0].value > 0);
    return true;
  };
}

// One world, until it halts: a stream a round, as in a session, so that what
// the protected round draws, which nobody sees, moves nobody else's noise.
std::vector<Shown> PlayAll(OnlineModel& model, Change change, ReplayRng& rng) {
  std::vector<Shown> all;
  for (std::size_t i = 0; i < kRounds && !model.halted(); ++i) {
    rng.BeginRound(i + 1, i == kProtected);
    all.push_back(PlayRound(model, i, change, rng));
  }
  rng.End();
  return all;
}

class SameNoiseTest : public ::testing::TestWithParam<const OnlineRow*> {};

TEST_P(SameNoiseTest, NoiseDependsOnWhatEverybodyHasSeenAlone) {
  const OnlineRow& row = *GetParam();
  const Settings settings = ExampleOf(row);
  Inputs inputs = TestInputs(row);
  ASSERT_TRUE(std::ranges::count(row.labels, LabelType::Kind::kTwo))
      << "a model without two labels needs rounds of its own here";
  inputs.label = {};
  const ModelRequest request{settings, inputs, {1, 1e-6}};
  // Planning takes time: one is made, the others are read from its state.
  auto first = row.create(request);
  ASSERT_TRUE(first) << first.error().message;
  if (row.trains) {
    ReplayRng rng(2);
    ASSERT_TRUE((*first)->Train(LabelledSet(), rng));
  }
  ByteWriter state;
  ASSERT_TRUE((*first)->Save(state));
  const auto play = [&](Change change, ReplayRng& rng) {
    ByteReader reader(state.bytes());
    auto model = row.load(request, reader);
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
    [](const ::testing::TestParamInfo<const OnlineRow*>& row) {
      return std::string(row.param->name);
    });

}  // namespace
}  // namespace sotto
