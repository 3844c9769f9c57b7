#include "sotto/testing/exact_number.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <sstream>

namespace sotto {
namespace {

TEST(ExactNumberTest, ThirdsAddUpToOne) {
  const ExactNumber third(1, 3);
  EXPECT_EQ(third + third + third, 1);
  EXPECT_EQ(1 - third, ExactNumber(2, 3));
  EXPECT_EQ(third / third, 1);
  EXPECT_EQ(-third * 3, -1);
}

TEST(ExactNumberTest, IsInLowestTermsWhateverTheSigns) {
  EXPECT_EQ(ExactNumber(2, 4), ExactNumber(1, 2));
  EXPECT_EQ(ExactNumber(-1, 2), ExactNumber(1, -2));
  std::ostringstream text;
  text << ExactNumber(-6, 4);
  EXPECT_EQ(text.str(), "-3/2");
}

TEST(ExactNumberTest, TakesTheLargestIntegersWhole) {
  const auto largest = std::numeric_limits<std::uint64_t>::max();
  EXPECT_EQ(ExactNumber(largest) + 1, ExactNumber(0x1p64));
  EXPECT_EQ(ExactNumber(std::numeric_limits<std::int64_t>::min()),
            ExactNumber(-0x1p63));
}

TEST(ExactNumberTest, ADoubleIsTakenAsItIsAndComesBack) {
  EXPECT_NE(ExactNumber(0.1), ExactNumber(1, 10));
  EXPECT_EQ(static_cast<double>(ExactNumber(0.1)), 0.1);
  EXPECT_EQ(ExactNumber(0x1p-1074) * ExactNumber(0x1p1023),
            ExactNumber(0x1p-51));
}

TEST(ExactNumberTest, ComparesAsNumbersDo) {
  EXPECT_LT(ExactNumber(1, 3), ExactNumber(1, 2));
  EXPECT_GT(ExactNumber(1, 3), ExactNumber(-1, 2));
  EXPECT_TRUE(ExactNumber(1, 3) > 0);
  EXPECT_EQ(ExactNumber(), 0);
}

}  // namespace
}  // namespace sotto
