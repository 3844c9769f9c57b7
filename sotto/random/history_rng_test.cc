#include "sotto/random/history_rng.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <set>
#include <vector>

namespace sotto {
namespace {

Key TestKey() {
  std::array<std::byte, Key::kBytes> bytes{};
  bytes[0] = std::byte{7};
  return Key::FromBytes(bytes);
}

std::vector<std::uint64_t> Draw(Rng& rng, int count) {
  std::vector<std::uint64_t> words(static_cast<std::size_t>(count));
  for (auto& word : words) word = rng.Next();
  return words;
}

TEST(HistoryRngTest, TheSameHistoryGivesTheSameWords) {
  HistoryRng one(TestKey());
  HistoryRng two(TestKey());
  for (std::uint64_t round = 0; round < 20; ++round) {
    one.Absorb(round * round);
    two.Absorb(round * round);
    EXPECT_EQ(Draw(one, 100), Draw(two, 100));
  }
}

// How many words are made at a time depends on the round before: one block
// after a round of at most 12 words, eight after a longer one.
TEST(HistoryRngTest, HowManyWordsWereDrawnBeforeDoesNotMatterAfterAbsorbing) {
  for (const int before : {0, 3, 12, 13, 77}) {
    HistoryRng one(TestKey());
    HistoryRng two(TestKey());
    one.Absorb(4);
    two.Absorb(4);
    Draw(one, before);
    one.Absorb(5);
    two.Absorb(5);
    EXPECT_EQ(Draw(one, 200), Draw(two, 200)) << before;
  }
}

TEST(HistoryRngTest, FilledWordsAreThoseOfNext) {
  for (const std::size_t size : {1, 4, 5, 12, 13, 67, 68, 75, 76, 77, 300}) {
    HistoryRng one(TestKey());
    HistoryRng two(TestKey());
    one.Absorb(1);
    two.Absorb(1);
    std::vector<std::uint64_t> words(size);
    one.Fill(words);
    EXPECT_EQ(words, Draw(two, static_cast<int>(size))) << size;
    EXPECT_EQ(Draw(one, 90), Draw(two, 90)) << size;
  }
}

TEST(HistoryRngTest, ASavedKeyResumesTheStreamOfTheNextRound) {
  HistoryRng whole(TestKey());
  whole.Absorb(1);
  Draw(whole, 9);
  HistoryRng resumed(whole.key());
  whole.Absorb(2);
  resumed.Absorb(2);
  EXPECT_EQ(Draw(whole, 70), Draw(resumed, 70));
}

TEST(HistoryRngTest, DifferentHistoriesNeverShareAWord) {
  std::set<std::uint64_t> seen;
  std::size_t drawn = 0;
  for (std::uint64_t a = 0; a < 8; ++a) {
    for (std::uint64_t b = 0; b < 8; ++b) {
      HistoryRng rng(TestKey());
      rng.Absorb(a);
      rng.Absorb(b, a);
      for (const std::uint64_t word : Draw(rng, 16)) seen.insert(word);
      drawn += 16;
    }
  }
  EXPECT_EQ(seen.size(), drawn);
}

// Step 1 of the proof: if an absorbed input were a point of the stream, the
// parent's words would reveal the child key.
TEST(HistoryRngTest, ChildKeysAreNotWordsOfTheParent) {
  HistoryRng parent(TestKey());
  const std::vector<std::uint64_t> words = Draw(parent, 512);
  for (std::uint64_t input = 0; input < 8; ++input) {
    HistoryRng child(TestKey());
    child.Absorb(input);
    std::uint64_t head = 0;
    std::memcpy(&head, child.key().bytes().data(), sizeof(head));
    EXPECT_EQ(std::count(words.begin(), words.end(), head), 0) << input;
  }
}

}  // namespace
}  // namespace sotto
