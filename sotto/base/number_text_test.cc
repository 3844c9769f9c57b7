#include "sotto/base/number_text.h"

#include <charconv>
#include <string>

#include "gtest/gtest.h"

namespace sotto {
namespace {

TEST(NumberTextTest, ShortestIsWrittenOutOrHasABareExponent) {
  EXPECT_EQ(Shortest(0), "0");
  EXPECT_EQ(Shortest(0.25), "0.25");
  EXPECT_EQ(Shortest(-3), "-3");
  EXPECT_EQ(Shortest(200000), "200000");
  EXPECT_EQ(Shortest(123456.5), "123456.5");
  EXPECT_EQ(Shortest(0.0001), "0.0001");
  EXPECT_EQ(Shortest(1e-6), "1e-6");
  EXPECT_EQ(Shortest(-2.5e-10), "-2.5e-10");
  EXPECT_EQ(Shortest(1e18), "1e18");
  EXPECT_EQ(Shortest(1e300), "1e300");
}

TEST(NumberTextTest, ShortestIsReadAsTheSameNumber) {
  for (double x = 1e-12; x < 1e20; x *= 1.7) {
    const std::string text = Shortest(x);
    double read = 0;
    std::from_chars(text.data(), text.data() + text.size(), read);
    EXPECT_EQ(read, x) << text;
  }
}

}  // namespace
}  // namespace sotto
