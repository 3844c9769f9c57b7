#include "sotto/learners/classes/finite_class.h"

#include <gtest/gtest.h>

namespace sotto {
namespace {

FeatureVector Number(double value) { return {{0, value}}; }

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
  EXPECT_EQ(CountMembers(intervals->Ones(0)), 4);
  EXPECT_EQ(CountMembers(intervals->Ones(1)), 6);
  EXPECT_EQ(CountMembers(points->All()), 70);
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
  EXPECT_EQ(ragged.error().message,
            "line 3, column 3: expected the end of the line after 2 labels");
  EXPECT_EQ(FiniteClass::Parse("011\n 0 1\n").error().message,
            "line 2, column 5: expected 3 labels, found 2");
  EXPECT_EQ(FiniteClass::Parse("01\n0x\n").error().message,
            "line 2, column 2: expected 0 or 1");
}

TEST(FiniteClassTest, FindsThePointOfANumber) {
  const auto points = FiniteClass::Named("points", 8);
  EXPECT_EQ(points->FindPoint(Number(7)), 7);
  EXPECT_EQ(points->FindPoint({}), 0);
  for (const double bad : {-1.0, 8.0, 2.5, 1e300, -1e300}) {
    EXPECT_FALSE(points->FindPoint(Number(bad))) << bad;
  }
}

}  // namespace
}  // namespace sotto
