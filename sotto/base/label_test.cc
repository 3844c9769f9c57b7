#include "sotto/base/label.h"

#include <gtest/gtest.h>

#include <limits>

#include "sotto/base/json.h"

namespace sotto {
namespace {

const LabelType kTwo{.names = {"ham", "spam"}};
const LabelType kColours{.kind = LabelKind::kClasses,
                         .names = {"red", "green", "blue"}};
const LabelType kPrice{.kind = LabelKind::kNumber, .low = -1, .high = 2.5};

TEST(LabelTest, KindsAreNeverEqual) {
  EXPECT_EQ(Label(true), kTwo.FromNumber(1));
  EXPECT_NE(Label(true), Label::OfClass(1));
  EXPECT_NE(Label(true), Label::OfNumber(1));
  EXPECT_NE(Label::OfClass(1), Label::OfNumber(1));
}

TEST(LabelTest, ATypeHasItsKindAndRangeOnly) {
  EXPECT_TRUE(kTwo.Has(true));
  EXPECT_FALSE(kTwo.Has(Label::OfClass(1)));
  EXPECT_FALSE(kTwo.Has(kTwo.FromNumber(0.5)));
  EXPECT_FALSE(kTwo.Has(kTwo.FromNumber(2)));
  EXPECT_TRUE(kColours.Has(Label::OfClass(2)));
  EXPECT_FALSE(kColours.Has(Label::OfClass(3)));
  EXPECT_FALSE(kColours.Has(kColours.FromNumber(-1)));
  EXPECT_FALSE(kColours.Has(true));
  EXPECT_TRUE(kPrice.Has(Label::OfNumber(2.5)));
  EXPECT_FALSE(kPrice.Has(Label::OfNumber(2.6)));
  EXPECT_FALSE(
      kPrice.Has(Label::OfNumber(std::numeric_limits<double>::quiet_NaN())));
}

TEST(LabelTest, IsWrittenByItsName) {
  EXPECT_EQ(kTwo.Name(true), "spam");
  EXPECT_EQ(LabelType{}.Name(true), "1");
  EXPECT_EQ(kTwo.ToJson(true).Dump(), "\"spam\"");
  EXPECT_EQ(LabelType{}.ToJson(true).Dump(), "1");
  EXPECT_EQ((LabelType{.names = {"0", "1"}}).ToJson(false).Dump(), "0");
  EXPECT_EQ((LabelType{.names = {"1", "0"}}).ToJson(false).Dump(), "\"1\"");
  EXPECT_EQ(kColours.Name(Label::OfClass(1)), "green");
  EXPECT_EQ(kColours.ToJson(Label::OfClass(1)).Dump(), "\"green\"");
  EXPECT_EQ(kPrice.Name(Label::OfNumber(0.25)), "0.25");
  EXPECT_EQ(kPrice.ToJson(Label::OfNumber(0.25)).Dump(), "0.25");
}

TEST(LabelTest, LossIsAMistakeOrADistance) {
  EXPECT_EQ(Loss(true, false), 1);
  EXPECT_EQ(Loss(true, true), 0);
  EXPECT_TRUE(IsMistake(Label::OfClass(1), Label::OfClass(2)));
  EXPECT_FALSE(IsMistake(Label::OfNumber(1), Label::OfNumber(2)));
  EXPECT_EQ(Loss(Label::OfNumber(1), Label::OfNumber(-0.5)), 1.5);
  constexpr double kMost = std::numeric_limits<double>::max();
  EXPECT_EQ(Loss(Label::OfNumber(kMost), Label::OfNumber(-kMost)), kMost);
}

// Saved states and noise depend on these.
TEST(LabelTest, EntersTheHistoryByItsValue) {
  for (const Label& one :
       {Label(true), Label::OfClass(1), Label::OfNumber(1)}) {
    EXPECT_TRUE(one.is_bit());
    EXPECT_EQ(one.bits(), Label(true).bits());
  }
  EXPECT_FALSE(Label::OfClass(2).is_bit());
  EXPECT_EQ(Label::OfClass(2).bits(), 0x4000000000000000u);
}

}  // namespace
}  // namespace sotto
