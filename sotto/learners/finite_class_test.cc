#include "sotto/learners/finite_class.h"

#include <gtest/gtest.h>

#include "sotto/learners/learner_test_tools.h"
#include "sotto/learners/littlestone.h"

namespace sotto {
namespace {

int Dimension(const Result<FiniteClass>& functions) {
  LittlestoneDimension dimension(*functions);
  return dimension.Of(functions->All());
}

std::string Random(std::size_t functions, std::size_t points, TestRng& rng) {
  std::string text;
  for (std::size_t h = 0; h < functions; ++h) {
    for (std::size_t x = 0; x < points; ++x) text += (rng() & 1) ? '1' : '0';
    text += '\n';
  }
  return text;
}

// By the definition, with no bound to cut it short.
int PlainDimension(const FiniteClass& functions, const FiniteClass::Set& set) {
  if (CountOf(set) == 0) return -1;
  int best = 0;
  for (std::size_t x = 0; x < functions.points(); ++x) {
    const auto zeros = Restrict(functions, set, x, false);
    const auto ones = Restrict(functions, set, x, true);
    if (CountOf(zeros) == 0 || CountOf(ones) == 0) continue;
    best = std::max(best, 1 + std::min(PlainDimension(functions, zeros),
                                       PlainDimension(functions, ones)));
  }
  return best;
}

TEST(FiniteClassTest, NamesItsClasses) {
  const auto points = FiniteClass::Named("points", 70);
  ASSERT_TRUE(points);
  EXPECT_EQ(points->size(), 70);
  EXPECT_TRUE(points->Label(69, 69));
  EXPECT_FALSE(points->Label(69, 68));
  const auto thresholds = FiniteClass::Named("thresholds", 4);
  EXPECT_EQ(thresholds->size(), 5);
  EXPECT_TRUE(thresholds->Label(2, 2));
  EXPECT_FALSE(thresholds->Label(2, 1));
  const auto intervals = FiniteClass::Named("intervals", 4);
  EXPECT_EQ(intervals->size(), 11);
  EXPECT_EQ(CountOf(intervals->Ones(0)), 4);
  EXPECT_EQ(CountOf(intervals->Ones(1)), 6);
  EXPECT_EQ(CountOf(points->All()), 70);
}

TEST(FiniteClassTest, RefusesWhatItCannotBuild) {
  for (const auto& [name, size] :
       {std::pair("circles", 4ul), std::pair("points", 0ul),
        std::pair("points", 1ul << 16), std::pair("thresholds", ~0ul),
        std::pair("intervals", 1ul << 30)}) {
    const auto failed = FiniteClass::Named(name, size);
    ASSERT_FALSE(failed) << name << size;
    EXPECT_EQ(failed.error().code, ErrorCode::kInvalidArgument);
  }
}

TEST(FiniteClassTest, ParsesRowsOfBits) {
  const auto parsed = FiniteClass::Parse("# two\n0 1 1\r\n\n100\n011");
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->size(), 2);
  EXPECT_EQ(parsed->points(), 3);
  EXPECT_TRUE(parsed->Label(0, 1));
  EXPECT_TRUE(parsed->Label(1, 0));
  EXPECT_FALSE(FiniteClass::Parse(""));
  const auto ragged = FiniteClass::Parse("01\n\n011\n");
  ASSERT_FALSE(ragged);
  EXPECT_NE(ragged.error().message.find("line 3"), std::string::npos);
  EXPECT_FALSE(FiniteClass::Parse("01\n0x\n"));
}

TEST(FiniteClassTest, FindsThePointOfANumber) {
  const auto points = FiniteClass::Named("points", 8);
  EXPECT_EQ(points->PointOf(Number(7)), 7);
  EXPECT_EQ(points->PointOf({}), 0);
  for (const double bad : {-1.0, 8.0, 2.5, 1e300, -1e300}) {
    EXPECT_FALSE(points->PointOf(Number(bad))) << bad;
  }
}

TEST(LittlestoneDimensionTest, KnowsTheDimensionsOfNamedClasses) {
  EXPECT_EQ(Dimension(FiniteClass::Named("points", 1)), 0);
  EXPECT_EQ(Dimension(FiniteClass::Named("points", 64)), 1);
  EXPECT_EQ(Dimension(FiniteClass::Named("thresholds", 6)), 2);
  EXPECT_EQ(Dimension(FiniteClass::Named("thresholds", 7)), 3);
  EXPECT_EQ(Dimension(FiniteClass::Named("thresholds", 64)), 6);
  EXPECT_EQ(Dimension(FiniteClass::Named("thresholds", 256)), 8);
  EXPECT_EQ(Dimension(FiniteClass::Named("intervals", 15)), 6);
  EXPECT_EQ(Dimension(FiniteClass::Named("intervals", 24)), 7);
  EXPECT_EQ(Dimension(FiniteClass::Parse("00\n01\n10\n11")), 2);
}

TEST(LittlestoneDimensionTest, EqualsTheDefinitionOnRandomClasses) {
  TestRng rng(1);
  int seen[5] = {};
  for (int run = 0; run < 60; ++run) {
    const auto functions =
        FiniteClass::Parse(Random(2 + rng() % 14, 2 + rng() % 4, rng));
    const int dimension = Dimension(functions);
    ASSERT_EQ(dimension, PlainDimension(*functions, functions->All()));
    ++seen[dimension];
  }
  EXPECT_GT(seen[1] * seen[2] * seen[3], 0);
}

TEST(LittlestoneDimensionTest, SaysWhenItGaveUp) {
  const auto functions = FiniteClass::Named("intervals", 15);
  LittlestoneDimension hurried(*functions, 3);
  EXPECT_LE(hurried.Of(functions->All()), 6);
  EXPECT_TRUE(hurried.gave_up());
}

}  // namespace
}  // namespace sotto
