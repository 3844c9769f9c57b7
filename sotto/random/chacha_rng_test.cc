#include "sotto/random/chacha_rng.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "sotto/testing/seeded_rng.h"

namespace sotto {
namespace {

Key ZeroKey() {
  const std::array<std::byte, Key::kBytes> zeros{};
  return Key::FromBytes(zeros);
}

// Words 0 to 3 and 8 (the second block) of the keystream for key 0, nonce 0:
// RFC 8439, appendix A.1, vectors 1 and 2.
TEST(ChaChaRngTest, GivesThePublishedKeystream) {
  ChaChaRng rng(ZeroKey());
  std::vector<std::uint64_t> words(9);
  rng.Fill(words);
  EXPECT_EQ(words[0], 0x903df1a0ade0b876u);
  EXPECT_EQ(words[1], 0x28bd8653e56a5d40u);
  EXPECT_EQ(words[2], 0x1aed8da0b819d2bdu);
  EXPECT_EQ(words[3], 0xc70d778bccef36a8u);
  EXPECT_EQ(words[8], 0x7a385155bee7079fu);
}

TEST(ChaChaRngTest, TheOrderOfWordsDoesNotDependOnHowTheyAreAsked) {
  ChaChaRng one_by_one(ZeroKey());
  ChaChaRng mixed(ZeroKey());
  for (const std::size_t size : {1u, 63u, 0u, 200u, 64u, 1u, 1000u}) {
    std::vector<std::uint64_t> words(size);
    mixed.Fill(words);
    for (const std::uint64_t word : words) {
      ASSERT_EQ(word, one_by_one.Next());
    }
    ASSERT_EQ(mixed.Next(), one_by_one.Next());
  }
}

TEST(ChaChaRngTest, AStreamCannotBeCopied) {
  EXPECT_FALSE(std::is_copy_constructible_v<ChaChaRng>);
  EXPECT_FALSE(std::is_copy_assignable_v<ChaChaRng>);
  EXPECT_FALSE(std::is_move_constructible_v<ChaChaRng>);
}

TEST(SeededRngTest, DependsOnTheSeedAlone) {
  testing::SeededRng a(7);
  testing::SeededRng b(7);
  testing::SeededRng c(8);
  const std::uint64_t word = a.Next();
  EXPECT_EQ(word, b.Next());
  EXPECT_NE(word, c.Next());
}

}  // namespace
}  // namespace sotto
