// Both worlds with one and the same randomness: as long as everybody else has
// seen the same, a model must have drawn the same number of words. A draw that
// takes place only where somebody's data say so would show here, in every model
// that is in the registry.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sotto/model/online_model.h"
#include "sotto/random/chacha_rng.h"
#include "sotto/registry/every_model_test_tools.h"
#include "sotto/registry/registry.h"

namespace sotto {
namespace {

constexpr std::size_t kRounds = 120;
constexpr std::size_t kProtected = 30;

ChaChaRng Tape(std::uint64_t seed) {
  const std::array<std::byte, Key::kBytes> zeros{};
  return ChaChaRng(Key::FromBytes(zeros).Derive("test", "tape", {seed}));
}

enum class Change { kNone, kReplaced, kAbsent, kUnlabelled };

struct Shown {
  std::uint64_t phase = 0;
  bool halted = false;
  std::string told;        // to others, and published
  std::uint64_t next = 0;  // word of the tape
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
  shown.next = rng.Next();
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

class SameNoiseTest : public ::testing::TestWithParam<const OnlineRow*> {};

TEST_P(SameNoiseTest, WhatIsDrawnDependsOnWhatEverybodyHasSeenAlone) {
  const OnlineRow& row = *GetParam();
  const Settings settings = ExampleOf(row);
  const Inputs inputs = TestInputs(row);
  if (inputs.label.kind != LabelType::Kind::kTwo) GTEST_SKIP();
  const ModelRequest request{settings, inputs, {1, 1e-6}};
  // Planning takes time: one is made, the others are read from its state.
  auto first = row.create(request);
  ASSERT_TRUE(first) << first.error().message;
  if (row.trains) {
    ChaChaRng rng = Tape(2);
    ASSERT_TRUE((*first)->Train(LabelledSet(), rng));
  }
  ByteWriter state;
  ASSERT_TRUE((*first)->Save(state));
  const auto fresh = [&] {
    ByteReader reader(state.bytes());
    return row.load(request, reader);
  };
  std::size_t compared = 0;
  for (const Change change :
       {Change::kReplaced, Change::kAbsent, Change::kUnlabelled}) {
    auto here = fresh();
    auto there = fresh();
    ASSERT_TRUE(here && there);
    for (std::size_t i = 0; i < kRounds; ++i) {
      if ((*here)->halted()) break;
      // A stream a round, as in a session: what the protected round draws,
      // which nobody sees, moves nobody else's noise.
      ChaChaRng tape = Tape(100 + i);
      ChaChaRng same = Tape(100 + i);
      const Shown p = PlayRound(**here, i, Change::kNone, tape);
      const Shown q = PlayRound(**there, i, change, same);
      if (p.told != q.told || p.phase != q.phase || p.halted != q.halted) break;
      if (i == kProtected) continue;
      ASSERT_EQ(p.next, q.next) << "round " << i;
      compared += i > kProtected ? 1 : 0;
    }
  }
  EXPECT_GT(compared, 0u);
}

INSTANTIATE_TEST_SUITE_P(
    All, SameNoiseTest, ::testing::ValuesIn(OnlineModels()),
    [](const ::testing::TestParamInfo<const OnlineRow*>& row) {
      return std::string(row.param->name);
    });

}  // namespace
}  // namespace sotto
