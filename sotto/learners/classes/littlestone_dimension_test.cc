#include "sotto/learners/classes/littlestone_dimension.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <vector>

#include "sotto/learners/classes/classes_test_tools.h"
#include "sotto/learners/classes/mistake_tree.h"
#include "sotto/learners/classes/naive_dimension_test_oracle.h"

namespace sotto {
namespace {

int Dimension(const Result<FiniteClass>& functions) {
  LittlestoneDimension dimension(*functions);
  return dimension.Of(functions->All());
}

TEST(LittlestoneDimensionTest, FindsTheDimensionsOfNamedClasses) {
  EXPECT_EQ(Dimension(FiniteClass::Named("points", 1)), 0);
  EXPECT_EQ(Dimension(FiniteClass::Named("points", 64)), 1);
  EXPECT_EQ(Dimension(FiniteClass::Named("thresholds", 6)), 2);
  EXPECT_EQ(Dimension(FiniteClass::Named("thresholds", 7)), 3);
  EXPECT_EQ(Dimension(FiniteClass::Named("thresholds", 256)), 8);
  EXPECT_EQ(Dimension(FiniteClass::Named("intervals", 15)), 6);
  EXPECT_EQ(Dimension(FiniteClass::Named("intervals", 24)), 7);
  EXPECT_EQ(Dimension(FiniteClass::Parse("00\n01\n10\n11")), 2);
}

// The sixteen functions on four points: function f is 1 at x if bit x of f is.
// A class is a set of them, a number below 2^16. Its dimension follows from
// those of smaller numbers, by the definition.
std::vector<int> AllDimensions() {
  std::vector<int> dimension(1 << 16, -1);
  std::array<unsigned, 4> ones{};
  for (unsigned f = 0; f < 16; ++f) {
    for (unsigned x = 0; x < 4; ++x) ones[x] |= (f >> x & 1U) << f;
  }
  for (unsigned set = 1; set < 1 << 16; ++set) {
    dimension[set] = 0;
    for (const unsigned column : ones) {
      const int both =
          std::min(dimension[set & column], dimension[set & ~column]);
      dimension[set] = std::max(dimension[set], 1 + both);
    }
  }
  return dimension;
}

FiniteClass MakeClass(unsigned set) {
  std::vector<unsigned> members;
  for (unsigned f = 0; f < 16; ++f) {
    if ((set >> f & 1U) != 0) members.push_back(f);
  }
  return *FiniteClass::Create(members.size(), 4,
                              [&](std::uint64_t h, std::uint64_t x) {
                                return (members[h] >> x & 1U) != 0;
                              });
}

// Classes on fewer points are included: all functions agree at the others.
// As printed: [Littlestone] Littlestone dimension: the definition.
TEST(LittlestoneDimensionTest, EqualsTheDefinitionOnEveryClassOfFourPoints) {
  const std::vector<int> expected = AllDimensions();
  ASSERT_EQ(expected[0xffff], 4);
  for (unsigned set = 1; set < 1 << 16; ++set) {
    const FiniteClass functions = MakeClass(set);
    for (const std::size_t packed : {std::size_t{0}, std::size_t{64}}) {
      LittlestoneDimension dimension(functions, {.packed = packed});
      ASSERT_EQ(dimension.Of(functions.All()), expected[set]) << set;
      const auto tree = dimension.Tree(functions.All(), expected[set]);
      ASSERT_EQ(tree.depth, expected[set]) << set;
      ASSERT_TRUE(CheckMistakeTree(tree, functions)) << set;
    }
  }
}

TEST(LittlestoneDimensionTest, EqualsTheDefinitionOnRandomClasses) {
  ClassRng rng(1);
  std::array<int, 5> seen{};
  for (int run = 0; run < 60; ++run) {
    const FiniteClass functions =
        RandomClass(2 + rng() % 14, 2 + rng() % 4, rng);
    LittlestoneDimension dimension(functions);
    const int found = dimension.Of(functions.All());
    ASSERT_EQ(found, NaiveDimension(functions, functions.All()));
    ++seen[static_cast<std::size_t>(found)];
  }
  EXPECT_GT(seen[1] * seen[2] * seen[3], 0);
}

// Sets of more than one word, where the packed and the plain search meet.
TEST(LittlestoneDimensionTest, IsTheSameHoweverSmallSetsArePacked) {
  ClassRng rng(2);
  for (int run = 0; run < 6; ++run) {
    const FiniteClass functions = RandomClass(150, 12, rng, 1 + rng() % 4);
    LittlestoneDimension plain(functions, {.packed = 0});
    LittlestoneDimension some(functions, {.packed = 7, .order = 1});
    LittlestoneDimension most(functions);
    const int expected = plain.Of(functions.All());
    EXPECT_EQ(some.Of(functions.All()), expected);
    EXPECT_EQ(most.Of(functions.All()), expected);
  }
}

TEST(LittlestoneDimensionTest, ReportsThatItGaveUp) {
  const auto functions = FiniteClass::Named("intervals", 15);
  LittlestoneDimension hurried(*functions, {.max_nodes = 3});
  EXPECT_LE(hurried.Of(functions->All()), 6);
  EXPECT_TRUE(hurried.gave_up());
  EXPECT_LE(hurried.nodes(), 3);
}

TEST(LittlestoneDimensionTest, LabelsSoThatEveryMistakeLowersTheDimension) {
  ClassRng rng(3);
  for (int run = 0; run < 40; ++run) {
    const FiniteClass functions = RandomClass(20, 6, rng);
    LittlestoneDimension dimension(functions);
    const auto set = RandomSet(functions, rng);
    const int before = dimension.Of(set);
    const auto labels = dimension.OptimalLabels(set);
    for (std::size_t x = 0; x < labels.size(); ++x) {
      const auto zeros = Restrict(functions, set, x, false);
      EXPECT_LT(dimension.Of(Restrict(functions, set, x, !labels[x])), before);
      // The paper's definition, except where both labels leave less.
      EXPECT_FALSE(dimension.Of(zeros) == before && labels[x]);
      if (dimension.Of(Restrict(functions, set, x, true)) == before) {
        EXPECT_TRUE(labels[x]);
      }
    }
  }
}

}  // namespace
}  // namespace sotto
