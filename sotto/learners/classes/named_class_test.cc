#include "sotto/learners/classes/named_class.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>

#include "sotto/learners/classes/dimension_search.h"

namespace sotto {
namespace {

TEST(NamedClassTest, HasTheStatedSizes) {
  for (const auto& [name, size, points] :
       {std::tuple("points:5", 5, 5), std::tuple("thresholds:5", 6, 5),
        std::tuple("intervals:5", 16, 5), std::tuple("conjunctions:3", 27, 8),
        std::tuple("monotone-conjunctions:3", 8, 8),
        std::tuple("stumps:3x2", 8, 6), std::tuple("rectangles:3x2", 19, 6),
        std::tuple("points:1e6", 1'000'000, 1'000'000)}) {
    const auto named = NamedClass::Parse(name);
    ASSERT_TRUE(named) << name;
    EXPECT_EQ(named->size, static_cast<std::uint64_t>(size)) << name;
    EXPECT_EQ(named->points, static_cast<std::uint64_t>(points)) << name;
    EXPECT_EQ(named->name, name);
  }
}

TEST(NamedClassTest, HasNoFunctionTwice) {
  for (const char* name :
       {"points:5", "thresholds:5", "intervals:6", "conjunctions:3",
        "monotone-conjunctions:4", "stumps:4x3x2", "stumps:1x5",
        "rectangles:3x3", "rectangles:1x4"}) {
    const auto functions = NamedClass::Parse(name)->Matrix();
    ASSERT_TRUE(functions);
    std::set<std::string> seen;
    for (std::size_t h = 0; h < functions->size(); ++h) {
      std::string row;
      for (std::size_t x = 0; x < functions->points(); ++x) {
        row += functions->Label(h, x) ? '1' : '0';
      }
      EXPECT_TRUE(seen.insert(row).second) << name << " " << h << " " << row;
    }
  }
}

// The search agrees with the closed form, and its tree is valid.
TEST(NamedClassTest, HasItsDimensionInClosedForm) {
  for (const char* name :
       {"points:1", "points:2", "points:64", "thresholds:1", "thresholds:2",
        "thresholds:3", "thresholds:6", "thresholds:7", "thresholds:64",
        "thresholds:255", "conjunctions:1", "conjunctions:3", "conjunctions:4",
        "monotone-conjunctions:1", "monotone-conjunctions:3",
        "monotone-conjunctions:7"}) {
    const auto named = NamedClass::Parse(name);
    ASSERT_TRUE(named && named->dimension) << name;
    const DimensionBounds found = SearchDimension(*named->Matrix());
    EXPECT_EQ(found.lo, found.hi) << name;
    EXPECT_EQ(found.lo, *named->dimension) << name;
    if (!named->tree) continue;
    const MistakeTree tree = named->tree();
    EXPECT_EQ(tree.depth, *named->dimension) << name;
    EXPECT_TRUE(CheckMistakeTree(tree, named->size, named->points, named->rule))
        << name;
  }
  EXPECT_FALSE(NamedClass::Parse("conjunctions:2")->dimension);
}

TEST(NamedClassTest, HandlesHugeClassesAtOnce) {
  const auto thresholds = NamedClass::Parse("thresholds:65536");
  EXPECT_EQ(thresholds->dimension, 16);
  const MistakeTree tree = thresholds->tree();
  EXPECT_TRUE(CheckMistakeTree(tree, thresholds->size, thresholds->points,
                               thresholds->rule));
  const auto points = NamedClass::Parse("points:1e6");
  EXPECT_EQ(points->dimension, 1);
  EXPECT_TRUE(CheckMistakeTree(points->tree(), points->size, points->points,
                               points->rule));
  EXPECT_FALSE(points->Matrix());
}

TEST(NamedClassTest, IntervalsAreRectanglesOfOneSide) {
  const auto intervals = NamedClass::Parse("intervals:9");
  const auto rectangles = NamedClass::Parse("rectangles:9x1");
  ASSERT_EQ(intervals->size, rectangles->size);
  for (std::uint64_t h = 0; h < intervals->size; ++h) {
    for (std::uint64_t x = 0; x < 9; ++x) {
      EXPECT_EQ(intervals->rule(h, x), rectangles->rule(h, x));
    }
  }
}

TEST(NamedClassTest, ListsTheKinds) {
  for (const auto& [text, said] :
       {std::pair("circles:3", "no class is called 'circles'"),
        std::pair("points", "no class is called 'points'"),
        std::pair("points:", "expected points:N"),
        std::pair("points:0", "expected points:N"),
        std::pair("points:2.5", "expected points:N"),
        std::pair("points:3x3", "expected points:N"),
        std::pair("stumps:3x", "expected stumps:AxBx..."),
        std::pair("conjunctions:31", "at most 30"),
        std::pair("rectangles:1e6x1e6x1e6x1e6", "too large")}) {
    const auto failed = NamedClass::Parse(text);
    ASSERT_FALSE(failed) << text;
    EXPECT_NE(failed.error().message.find(said), std::string::npos)
        << failed.error().message;
  }
}

}  // namespace
}  // namespace sotto
