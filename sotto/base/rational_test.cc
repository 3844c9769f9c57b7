#include "sotto/base/rational.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <tuple>

namespace sotto {
namespace {

TEST(RationalTest, ReadsDecimalsExactly) {
  for (const auto& [text, numerator, denominator] :
       {std::tuple<std::string, std::uint64_t, std::uint64_t>{"3", 3, 1},
        {"19.4", 97, 5},
        {"1e6", 1'000'000, 1},
        {"2.5e-3", 1, 400},
        {"5/97", 5, 97},
        {"10/194", 5, 97},
        {"1.500", 3, 2},
        {".5", 1, 2}}) {
    const auto parsed = ParseRational(text);
    ASSERT_TRUE(parsed) << text;
    EXPECT_EQ(parsed->numerator(), numerator) << text;
    EXPECT_EQ(parsed->denominator(), denominator) << text;
  }
}

TEST(RationalTest, RefusesWhatIsNotAPositiveNumber) {
  for (const char* text :
       {"", "0", "-1", "nan", "inf", "1e", "1/0", "0/3", "1.2.3", "1e400", "x",
        "1 ", "1e500", "123456789012345678901234567890", "1/", "."}) {
    const auto parsed = ParseRational(text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_EQ(parsed.error().code, ErrorCode::kInvalidArgument) << text;
  }
}

TEST(RationalTest, DoublesOnEitherSideEncloseTheValue) {
  const auto third = Rational::Create(1, 3);
  ASSERT_TRUE(third);
  EXPECT_LT(third->ToDoubleDown(), third->ToDoubleUp());
  EXPECT_EQ(std::nextafter(third->ToDoubleDown(), 1.0), third->ToDoubleUp());
  const auto half = Rational::Create(1, 2);
  ASSERT_TRUE(half);
  EXPECT_EQ(half->ToDoubleDown(), 0.5);
  EXPECT_EQ(half->ToDoubleUp(), 0.5);
  const auto extreme = Rational::Create(Rational::kMax - 1, Rational::kMax);
  ASSERT_TRUE(extreme);
  EXPECT_LT(extreme->ToDoubleDown(), 1.0);
  EXPECT_EQ(extreme->ToDoubleUp(), 1.0);
}

TEST(RationalTest, ADoubleBecomesItsOwnValueOrOneBelow) {
  for (const double value : {0.5, 3.0, 0.1, 1e-9, 12345.6789, 1e15}) {
    const auto rational = RationalBelow(value);
    ASSERT_TRUE(rational) << value;
    EXPECT_LE(rational->ToDoubleDown(), value);
    EXPECT_GE(rational->ToDoubleUp(), value * (1 - 1e-9));
  }
  EXPECT_EQ(RationalBelow(0.1)->ToDoubleUp(), 0.1);
  EXPECT_FALSE(RationalBelow(0.0));
  EXPECT_FALSE(RationalBelow(-1.0));
  EXPECT_FALSE(RationalBelow(std::nan("")));
}

}  // namespace
}  // namespace sotto
