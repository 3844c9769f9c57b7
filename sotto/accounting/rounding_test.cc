#include "sotto/accounting/rounding.h"

#include <gtest/gtest.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <vector>

namespace sotto {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

TEST(RoundingTest, StepsEncloseTheExactResult) {
  EXPECT_LT(DownDiv(1, 3), UpDiv(1, 3));
  EXPECT_LT(DownMul(0.1, 0.1), UpMul(0.1, 0.1));
  EXPECT_LT(DownAdd(0.1, 0.2), UpAdd(0.1, 0.2));
  EXPECT_GT(InflateUp(-1, 1e-3), -1);
  EXPECT_GT(InflateUp(1, 1e-3), 1.0009);
  EXPECT_EQ(UpAdd(kInf, 1), kInf);
}

TEST(RoundingTest, StepsAreThoseOfTheStandardLibrary) {
  const double least = std::numeric_limits<double>::denorm_min();
  const double normal = std::numeric_limits<double>::min();
  const double most = std::numeric_limits<double>::max();
  std::vector<double> values = {
      0,    least,       2 * least, normal, 1,
      1.5,  StepDown(1), 1e-300,    1e300,  most,
      kInf, StepUp(2),   0x1p52,    0x1p-7, StepDown(normal)};
  for (const double x : std::vector(values)) values.push_back(-x);
  for (const double x : values) {
    const double up = std::nextafter(x, kInf);
    const double down = std::nextafter(x, -kInf);
    EXPECT_EQ(std::bit_cast<std::uint64_t>(StepUp(x)),
              std::bit_cast<std::uint64_t>(up))
        << x;
    EXPECT_EQ(std::bit_cast<std::uint64_t>(StepDown(x)),
              std::bit_cast<std::uint64_t>(down))
        << x;
  }
  EXPECT_TRUE(std::isnan(StepUp(std::nan(""))));
  EXPECT_TRUE(std::isnan(StepDown(std::nan(""))));
}

// 1e16 + 1 is a tie, 1e16 + 3 rounds to 1e16 + 4: both have neighbours two
// apart.
TEST(RoundingTest, LeastUpAddStepsOnlyWhereTheSumWasRoundedDown) {
  EXPECT_EQ(LeastUpAdd(0.25, 0.5), 0.75);
  EXPECT_EQ(LeastUpAdd(0, 0.1), 0.1);
  EXPECT_EQ(LeastUpAdd(1e16, 1), 1e16 + 2);
  EXPECT_EQ(LeastUpAdd(1e16, 3), 1e16 + 4);
  EXPECT_EQ(LeastUpAdd(1, 1e-300), StepUp(1));
  EXPECT_EQ(LeastUpAdd(1, -1e-300), 1);
  EXPECT_EQ(LeastUpAdd(kInf, 1), kInf);
  EXPECT_EQ(LeastUpAdd(1, kInf), kInf);
}

TEST(RoundingTest, LeastUpDivStepsOnlyWhereTheQuotientWasRoundedDown) {
  EXPECT_EQ(LeastUpDiv(1, 0.25), 4);
  EXPECT_EQ(LeastUpDiv(3, 2), 1.5);
  // 1/3 is rounded down, 1/5 up.
  EXPECT_EQ(LeastUpDiv(1, 3), StepUp(1.0 / 3));
  EXPECT_EQ(LeastUpDiv(1, 5), 1.0 / 5);
  EXPECT_EQ(LeastUpDiv(1, 49), StepUp(1.0 / 49));
}

TEST(RoundingTest, TextIsShortAndNeverBelow) {
  EXPECT_EQ(TextUp(1), "1");
  EXPECT_EQ(TextUp(0), "0");
  EXPECT_EQ(TextUp(0.1), "0.1");
  EXPECT_EQ(TextUp(1e-6), "1e-6");
  EXPECT_EQ(TextUp(2e5), "200000");
  EXPECT_EQ(TextUp(kInf), "infinity");
  double x = 1e-9;
  while (x < 1e9) {
    x *= 1.37;
    const std::string text = TextUp(x);
    double read = 0;
    std::from_chars(text.data(), text.data() + text.size(), read);
    EXPECT_GE(read, x) << text;
    EXPECT_LE(read, x * (1 + 1.1e-5)) << text;
  }
}

}  // namespace
}  // namespace sotto
