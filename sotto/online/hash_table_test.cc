#include "sotto/online/hash_table.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <random>
#include <vector>

namespace sotto {
namespace {

using Hash = HashTable::Hash;

// Against a map, with clusters at both ends and hashes that share their high
// half, by insertions and deletions.
TEST(HashTableTest, AgreesWithAMap) {
  std::mt19937_64 random(1);
  HashTable table(2);
  std::map<Hash, std::uint8_t> map;
  constexpr std::uint64_t kTop = ~std::uint64_t{0};
  for (int i = 0; i < 20'000; ++i) {
    const std::uint64_t shape = random() % 4;
    const std::uint64_t small = random() % 97;
    const Hash hash = shape == 0   ? Hash{kTop - small % 3, small}
                      : shape == 1 ? Hash{small % 2, small}
                      : shape == 2 ? Hash{small << 57, 0}
                                   : Hash{random(), random()};
    if (random() % 3 == 0) {
      table.Erase(hash);
      map.erase(hash == Hash{} ? Hash{0, 1} : hash);
    } else {
      ++table.Insert(hash)[1];
      ++map[hash == Hash{} ? Hash{0, 1} : hash];
    }
    ASSERT_EQ(table.size(), map.size()) << i;
  }
  auto next = map.begin();
  table.ForEach([&](const Hash& hash, const std::uint8_t* value) {
    ASSERT_NE(next, map.end());
    EXPECT_EQ(hash, next->first);
    EXPECT_EQ(value[0], 0);
    EXPECT_EQ(value[1], next->second);
    ++next;
  });
  EXPECT_EQ(next, map.end());
  for (const auto& [hash, value] : map) ASSERT_NE(table.Find(hash), nullptr);
  EXPECT_EQ(table.Find({random(), random()}), nullptr);
}

TEST(HashTableTest, BothHalvesOfAHashCount) {
  HashTable table(1);
  *table.Insert({7, 1}) = 1;
  *table.Insert({7, 2}) = 2;
  EXPECT_EQ(*table.Find({7, 1}), 1);
  EXPECT_EQ(*table.Find({7, 2}), 2);
  EXPECT_EQ(table.Find({7, 3}), nullptr);
}

TEST(HashTableTest, StaysBelowItsBytes) {
  std::mt19937_64 random(2);
  HashTable table(5);
  for (std::size_t size = 1; size <= 100'000; ++size) {
    table.Insert({random(), random()});
    if (size >= 2000) {
      ASSERT_LE(static_cast<double>(table.bytes()),
                28.5 * static_cast<double>(size));
    }
  }
}

}  // namespace
}  // namespace sotto
