#include "sotto/data/streams/value_index.h"

#include <gtest/gtest.h>

#include <string>

namespace sotto {
namespace {

TEST(ValueIndexTest, FindsEveryValueAndNoOther) {
  ValueIndex values;
  EXPECT_FALSE(values.Find(""));
  std::string text;
  // All lengths up to 40, each in two forms, and the empty string.
  for (std::uint32_t i = 0; i < 40; ++i) {
    values.Insert(text, 2 * i);
    values.Insert(text + "-", 2 * i + 1);
    text += static_cast<char>('a' + i % 26);
  }
  text.clear();
  for (std::uint32_t i = 0; i < 40; ++i) {
    EXPECT_EQ(values.Find(text), 2 * i);
    EXPECT_EQ(values.Find(text + "-"), 2 * i + 1);
    EXPECT_FALSE(values.Find(text + "+"));
    EXPECT_FALSE(values.Find("+" + text));
    text += static_cast<char>('a' + i % 26);
  }
}

TEST(ValueIndexTest, TheFirstOfEqualValuesCountsAndACopyStandsAlone) {
  ValueIndex copy;
  {
    ValueIndex values;
    values.Insert("red", 1);
    values.Insert("red", 2);
    copy = values;
    values.Insert("green", 3);
  }
  EXPECT_EQ(copy.Find("red"), 1U);
  EXPECT_FALSE(copy.Find("green"));
}

}  // namespace
}  // namespace sotto
