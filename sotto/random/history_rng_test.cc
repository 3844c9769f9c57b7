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

TEST(HistoryRngTest, HowManyWordsWereDrawnBeforeDoesNotMatterAfterAbsorbing) {
  HistoryRng one(TestKey());
  HistoryRng two(TestKey());
  Draw(one, 3);
  Draw(two, 77);
  one.Absorb(5);
  two.Absorb(5);
  EXPECT_EQ(Draw(one, 5), Draw(two, 5));
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
