#include "sotto/random/key.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <type_traits>

#include "sotto/base/int128.h"

namespace sotto {
namespace {

Key CountingKey() {
  std::array<std::byte, Key::kBytes> bytes;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<std::byte>(i);
  }
  return Key::FromBytes(bytes);
}

std::string Hex(const Key& key) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const std::byte byte : key.bytes()) {
    text += kDigits[std::to_integer<unsigned>(byte) >> 4];
    text += kDigits[std::to_integer<unsigned>(byte) & 15];
  }
  return text;
}

// Computed with Python's hashlib.blake2b over the encoding in key.md.
TEST(KeyTest, DerivesAsOnThePage) {
  const Key child =
      CountingKey().Derive("noise-v1", "stopper", {"model-a", 7u, ""});
  EXPECT_EQ(Hex(child),
            "5a2bb7d28c924655427b5665099f8c25"
            "b844aa8cae57b62ad0dffc6f61c37cb3");
}

TEST(KeyTest, NoTwoContextsEncodeAlike) {
  const Key key = CountingKey();
  const std::string eight_zeros(8, '\0');
  std::set<std::string> seen;
  const auto add = [&seen](const Key& child) { seen.insert(Hex(child)); };
  add(key.Derive("a", "b", {}));
  add(key.Derive("ab", "", {}));
  add(key.Derive("", "ab", {}));
  add(key.Derive("a", "b", {0u}));
  add(key.Derive("a", "b", {0u, 0u}));
  add(key.Derive("a", "b", {""}));
  add(key.Derive("a", "b", {"", ""}));
  add(key.Derive("a", "b", {eight_zeros}));
  add(key.Derive("a", "b", {"x", "yz"}));
  add(key.Derive("a", "b", {"xy", "z"}));
  add(key.Derive("a", "b", {std::uint64_t{1} << 63}));
  EXPECT_EQ(seen.size(), 11u);
}

TEST(KeyTest, TheWidthOfAnIntegerDoesNotMatter) {
  const Key key = CountingKey();
  EXPECT_EQ(Hex(key.Derive("a", "b", {std::uint8_t{5}})),
            Hex(key.Derive("a", "b", {std::uint64_t{5}})));
}

// By `hashlib.blake2b(b"abc", key=bytes(range(32)), digest_size=16)`.
TEST(KeyTest, HashesAsOnThePage) {
  const auto words = CountingKey().Hash("abc");
  EXPECT_EQ(words[0], 0x959d72e447be641au);
  EXPECT_EQ(words[1], 0xf37cf943e52e301cu);
  EXPECT_NE(CountingKey().Hash(""), CountingKey().Hash(std::string(1, '\0')));
}

TEST(KeyTest, GeneratedKeysDiffer) {
  const auto a = Key::Generate();
  const auto b = Key::Generate();
  ASSERT_TRUE(a && b);
  EXPECT_NE(Hex(*a), Hex(*b));
}

// A 128-bit integer would lose its upper half.
static_assert(!std::is_constructible_v<ContextItem, Uint128>);
static_assert(std::is_constructible_v<ContextItem, std::uint64_t>);

}  // namespace
}  // namespace sotto
