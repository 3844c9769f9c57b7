#include "sotto/learners/classes/dimension_search.h"

#include <gtest/gtest.h>

#include "sotto/learners/classes/classes_test_tools.h"
#include "sotto/learners/classes/littlestone_dimension.h"
#include "sotto/learners/classes/named_class.h"

namespace sotto {
namespace {

TEST(DimensionSearchTest, EqualsOneSearchWhateverTheThreads) {
  ClassRng rng(1);
  for (int run = 0; run < 12; ++run) {
    const FiniteClass functions = RandomClass(300, 14, rng, 1 + rng() % 4);
    LittlestoneDimension dimension(functions);
    const int expected = dimension.Of(functions.All());
    for (const std::size_t threads : {0, 1, 2, 3}) {
      const auto found = SearchDimension(functions, {.threads = threads});
      EXPECT_EQ(found.lo, expected);
      EXPECT_EQ(found.hi, expected);
      EXPECT_TRUE(CheckMistakeTree(found.tree, functions));
      EXPECT_EQ(found.tree.depth, expected);
    }
  }
}

TEST(DimensionSearchTest, EndsWithBothEndsProvedIfItIsCutShort) {
  const auto functions = NamedClass::Parse("intervals:32")->Matrix();
  const auto exact = SearchDimension(*functions);
  ASSERT_EQ(exact.lo, 8);
  ASSERT_EQ(exact.hi, 8);
  bool open = false;
  int calls = 0;
  for (const std::uint64_t nodes : {1, 5, 20, 60, 200}) {
    const auto cut = SearchDimension(
        *functions, {.max_nodes = nodes,
                     .threads = 1,
                     .progress = [&calls](const auto&) { ++calls; }});
    EXPECT_LE(cut.lo, 8);
    EXPECT_GE(cut.hi, 8);
    EXPECT_LE(cut.nodes, nodes + 10);
    EXPECT_EQ(cut.tree.depth, cut.lo);
    EXPECT_TRUE(CheckMistakeTree(cut.tree, *functions));
    open = open || cut.lo < cut.hi;
  }
  EXPECT_TRUE(open);
  EXPECT_GT(calls, 0);
}

TEST(DimensionSearchTest, SolvesTheSmallestClasses) {
  const auto one = SearchDimension(*FiniteClass::Parse("0"));
  EXPECT_EQ(one.lo, 0);
  EXPECT_EQ(one.hi, 0);
  EXPECT_EQ(one.tree.leaves.size(), 1);
  const auto two = SearchDimension(*FiniteClass::Parse("0\n1"));
  EXPECT_EQ(two.lo, 1);
  EXPECT_EQ(two.hi, 1);
}

}  // namespace
}  // namespace sotto
