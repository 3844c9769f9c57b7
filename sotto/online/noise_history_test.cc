#include "sotto/online/noise_history.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace sotto {
namespace {

Key MakeKey(unsigned char byte) {
  std::array<std::byte, Key::kBytes> bytes{};
  bytes[0] = std::byte{byte};
  return Key::FromBytes(bytes);
}

NoiseHistory Fresh() { return {MakeKey(1), MakeKey(2)}; }

Round Number(double x) { return {.x = {{0, x}}}; }

TEST(NoiseHistoryTest, TheSameHistoryGivesTheSameNoise) {
  NoiseHistory a = Fresh();
  NoiseHistory b = Fresh();
  EXPECT_EQ(a.Begin(Number(0.5)).Next(), b.Begin(Number(0.5)).Next());
  a.AddLabel(1, true);
  b.AddLabel(1, true);
  EXPECT_EQ(a.Begin(Number(0.25)).Next(), b.Begin(Number(0.25)).Next());
}

TEST(NoiseHistoryTest, WhateverDiffersMakesTheNoiseAfterItIndependent) {
  const std::vector<Round> rounds = {Number(0.5),
                                     Number(0.25),
                                     {.x = {{1, 0.5}}},
                                     {.x = {{0, 0.5}}, .user = "u"},
                                     {.x = {}},
                                     {.presence = Presence::kAbsent},
                                     {.x = {{1, 1}}},
                                     {.x = {{1, 1}}, .user = "u"},
                                     {.x = {{1, 2}}},
                                     {.x = {{1, 1}}, .user = "uu"},
                                     {.x = {{0, 1}, {1, 1}}},
                                     {.x = {{0, 1}, {1, 2}}},
                                     {.x = {{0, 2}, {1, 1}}},
                                     {.x = {{0, 2}, {1, 2}}}};
  std::vector<std::uint64_t> drawn;
  for (const Round& round : rounds) {
    for (int label = 0; label < 4; ++label) {
      NoiseHistory history = Fresh();
      history.Begin(Number(0.1));
      if (label == 1) history.AddLabel(1, false);
      if (label == 2) history.AddLabel(1, true);
      if (label == 3) history.AddLabel(1, Label::OfClass(2));
      drawn.push_back(history.Begin(round).Next());
    }
  }
  std::sort(drawn.begin(), drawn.end());
  EXPECT_EQ(std::adjacent_find(drawn.begin(), drawn.end()), drawn.end());
}

// A name of the bytes of a feature is not taken for that feature.
TEST(NoiseHistoryTest, ANameIsNotTakenForAFeature) {
  const Feature feature{5, 0.25};
  std::string name(sizeof(feature.index) + sizeof(feature.value), ' ');
  std::memcpy(name.data(), &feature.index, sizeof(feature.index));
  std::memcpy(name.data() + sizeof(feature.index), &feature.value,
              sizeof(feature.value));
  NoiseHistory named = Fresh();
  NoiseHistory plain = Fresh();
  EXPECT_NE(named.Begin({.x = {}, .user = name}).Next(),
            plain.Begin({.x = {feature}}).Next());
}

TEST(NoiseHistoryTest, ALateLabelCounts) {
  NoiseHistory a = Fresh();
  NoiseHistory b = Fresh();
  for (auto* history : {&a, &b}) {
    history->Begin(Number(0.1));
    history->Begin(Number(0.2));
  }
  a.AddLabel(1, true);
  b.AddLabel(1, false);
  EXPECT_NE(a.Begin(Number(0.3)).Next(), b.Begin(Number(0.3)).Next());
}

TEST(NoiseHistoryTest, TheRoundALabelBelongsToCounts) {
  NoiseHistory a = Fresh();
  NoiseHistory b = Fresh();
  for (auto* history : {&a, &b}) {
    history->Begin(Number(0.1));
    history->Begin(Number(0.2));
  }
  a.AddLabel(1, true);
  b.AddLabel(2, true);
  EXPECT_NE(a.Begin(Number(0.3)).Next(), b.Begin(Number(0.3)).Next());
}

TEST(NoiseHistoryTest, TheOrderInWhichLabelsComeCounts) {
  NoiseHistory a = Fresh();
  NoiseHistory b = Fresh();
  for (auto* history : {&a, &b}) {
    history->Begin(Number(0.1));
    history->Begin(Number(0.2));
  }
  a.AddLabel(1, true);
  a.AddLabel(2, false);
  b.AddLabel(2, false);
  b.AddLabel(1, true);
  EXPECT_NE(a.Begin(Number(0.3)).Next(), b.Begin(Number(0.3)).Next());
}

TEST(NoiseHistoryTest, AllEmptyRoundsAreAlike) {
  std::vector<std::uint64_t> drawn;
  const std::vector<Round> rounds = {
      {.presence = Presence::kAbsent},
      {.presence = Presence::kUnusable, .user = "u"},
      {.presence = Presence::kRefused, .x = {{0, 1}}, .user = "u"}};
  for (const Round& round : rounds) {
    NoiseHistory plain = Fresh();
    drawn.push_back(plain.Begin(round).Next());
  }
  EXPECT_EQ(drawn[0], drawn[1]);
  EXPECT_EQ(drawn[0], drawn[2]);
}

TEST(NoiseHistoryTest, ASavedHistoryGoesOnAsIfItHadNotBeenSaved) {
  NoiseHistory history = Fresh();
  history.Begin(Number(0.1));
  history.Begin(Number(0.2));
  history.AddLabel(1, true);
  history.AddLabel(2, false);
  ByteWriter writer;
  history.Save(writer);
  ByteReader reader(writer.bytes());
  auto loaded = NoiseHistory::Load(reader);
  ASSERT_TRUE(loaded);
  ASSERT_TRUE(reader.Finish());
  EXPECT_EQ(loaded->rounds(), 2U);
  EXPECT_EQ(history.Begin(Number(0.3)).Next(),
            loaded->Begin(Number(0.3)).Next());
}

// A label is part of the next round's input, then of no other: states hold no
// labels that were used.
TEST(NoiseHistoryTest, ALabelThatWasUsedIsForgotten) {
  const Round wide{.x = {{0, 0.5}, {1, 1}}};
  const auto saved = [&](bool labelled) {
    NoiseHistory history = Fresh();
    history.Begin(wide);
    if (labelled) history.AddLabel(1, Label::OfNumber(0.3));
    history.Begin(wide);
    ByteWriter writer;
    history.Save(writer);
    return writer.bytes().size();
  };
  EXPECT_EQ(saved(true), saved(false));
}

// Three ones, and one number whose bits are the indices of two of them: the
// same bytes but for how many ones there are.
TEST(NoiseHistoryTest, OnesAreNotTakenForTheBitsOfANumber) {
  const double bits = std::bit_cast<double>(std::uint64_t{9} << 32 | 5);
  NoiseHistory ones = Fresh();
  NoiseHistory number = Fresh();
  EXPECT_NE(ones.Begin({.x = {{0, 1}, {5, 1}, {9, 1}}, .user = "u"}).Next(),
            number.Begin({.x = {{0, bits}}, .user = "u"}).Next());
}

TEST(NoiseHistoryTest, LabelsAfterAPlaceAreForgottenWithIt) {
  NoiseHistory plain = Fresh();
  plain.Begin(Number(0.1));
  NoiseHistory ahead = Fresh();
  ahead.Begin(Number(0.1));
  const auto place = ahead.place();
  ahead.AddLabel(1, Label::OfNumber(0.3));
  ahead.Rewind(place);
  EXPECT_EQ(ahead.Begin(Number(0.2)).Next(), plain.Begin(Number(0.2)).Next());
}

TEST(NoiseHistoryTest, RoundsBegunAheadAreBegunAgainFromTheirPlace) {
  NoiseHistory plain = Fresh();
  plain.Begin(Number(0.1));
  plain.AddLabel(1, true);
  const std::uint64_t second = plain.Begin(Number(0.2)).Next();

  NoiseHistory ahead = Fresh();
  ahead.Begin(Number(0.1));
  const auto place = ahead.place();
  ahead.AddLabel(1, true);
  ahead.Begin(Number(0.2));
  ahead.AddLabel(2, false);
  ahead.Rewind(place);
  ahead.AddLabel(1, true);
  EXPECT_EQ(ahead.Begin(Number(0.2)).Next(), second);
}

TEST(NoiseHistoryTest, DamagedStatesAreRefused) {
  ByteReader empty("");
  EXPECT_EQ(NoiseHistory::Load(empty).error().code, ErrorCode::kCorruption);
}

}  // namespace
}  // namespace sotto
