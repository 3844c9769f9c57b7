#include "sotto/data/streams/decimal.h"

#include <gtest/gtest.h>

#include <charconv>
#include <cmath>
#include <cstdio>
#include <random>
#include <string>

namespace sotto {
namespace {

// The result of std::from_chars for all of `text`; NaN if it takes less.
double Reference(const std::string& text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return stop == end && error == std::errc{} ? value : std::nan("");
}

void ExpectSame(const std::string& text) {
  double value = 0;
  ASSERT_TRUE(ParseDecimal(text, value)) << text;
  const double expected = Reference(text);
  ASSERT_EQ(value, expected) << text;
  ASSERT_EQ(std::signbit(value), std::signbit(expected)) << text;
}

TEST(ParseDecimalTest, EqualsFromCharsOnRandomDecimalsOfEveryLength) {
  std::mt19937_64 rng(1);
  for (int i = 0; i < 60'000; ++i) {
    std::string text = (rng() & 1) != 0 ? "-" : "";
    const auto digits = 1 + rng() % 24;
    const auto point = rng() % (digits + 1);
    for (std::uint64_t d = 0; d < digits; ++d) {
      if (d == point) text += '.';
      text += static_cast<char>('0' + rng() % 10);
    }
    if (rng() % 8 == 0) {
      text += 'e';
      text += std::to_string(int(rng() % 500) - 250);
    }
    ExpectSame(text);
  }
}

// Decimals that lie at, just above and just below the middle between two
// doubles are the ones that a careless reader gets wrong.
TEST(ParseDecimalTest, EqualsFromCharsAtTheMiddleBetweenTwoDoubles) {
  std::mt19937_64 rng(2);
  for (int i = 0; i < 20'000; ++i) {
    // (2 m + 1) 2^-k has k decimals; 19 digits hold it for k small.
    const int k = 1 + static_cast<int>(rng() % 4);
    const std::uint64_t odd =
        ((std::uint64_t{1} << 53) | (rng() >> 11)) * 2 + 1;
    const std::uint64_t whole = (odd >> 1) >> k;
    const std::uint64_t part = (odd >> 1) & ((std::uint64_t{1} << k) - 1);
    char fraction[8];
    std::snprintf(fraction, sizeof(fraction), "%0*llu", k,
                  static_cast<unsigned long long>(
                      part * static_cast<std::uint64_t>(std::pow(5, k))));
    ExpectSame(std::to_string(whole) + "." + fraction);
  }
  for (std::uint64_t i = 0; i < 2000; ++i) {
    ExpectSame(std::to_string((std::uint64_t{1} << 53) + i) + ".5");
    ExpectSame(std::to_string((std::uint64_t{1} << 54) + i) + ".0");
  }
}

TEST(ParseDecimalTest, EqualsFromCharsOnSeventeenDigitsOfDoubles) {
  std::mt19937_64 rng(3);
  for (int i = 0; i < 20'000; ++i) {
    const double x = static_cast<double>(rng() >> 11) * 0x1p-53;
    char text[40];
    std::snprintf(text, sizeof(text), "%.17f", x);
    ExpectSame(text);
    std::snprintf(text, sizeof(text), "%.17g", x);
    ExpectSame(text);
    ASSERT_EQ(Reference(text), x);
  }
}

TEST(ParseDecimalTest, TakesWhatIsADecimalNumberAndNothingElse) {
  double value = 0;
  for (const char* good :
       {"0", "-0", "1.", ".5", "1e5", "1E-5", "00012.50",
        "0.0000000000000000000000000001", "123456789012345678901234567890"}) {
    ExpectSame(good);
  }
  EXPECT_TRUE(ParseDecimal("+2.5", value));
  EXPECT_EQ(value, 2.5);
  for (const char* bad :
       {"", ".", "-", "+", "+-1", "--1", "e5", "1e", "1x", "0x10", " 1", "1 ",
        "nan", "inf", "-inf", "1e999", "-1e999", "1e-999", "1,5"}) {
    EXPECT_FALSE(ParseDecimal(bad, value)) << bad;
  }
}

TEST(ParseDecimalTest, StopsWhereTheNumberEnds) {
  const std::string text = "1234567890.5,7";
  double value = 0;
  EXPECT_EQ(ParseDecimal(text.data(), text.data() + text.size(), value),
            text.data() + 12);
  EXPECT_EQ(value, 1234567890.5);
}

TEST(SpellsNotFiniteTest, KnowsNanInfinityAndOverflow) {
  for (const char* text :
       {"nan", "NaN", "-nan", "inf", "+Inf", "-infinity", "1e999"}) {
    EXPECT_TRUE(SpellsNotFinite(text)) << text;
  }
  for (const char* text : {"", "+", "1", "nano", "info", "x"}) {
    EXPECT_FALSE(SpellsNotFinite(text)) << text;
  }
}

TEST(ScaledDecimalTest, IsCorrectlyRoundedForEveryNumberOfPlaces) {
  std::mt19937_64 rng(4);
  for (int places = 0; places <= kMaxPlaces; ++places) {
    for (int i = 0; i < 2000; ++i) {
      const std::uint64_t digits = rng() >> (rng() % 64);
      const std::string text =
          std::to_string(digits) + "e-" + std::to_string(places);
      ASSERT_EQ(ScaledDecimal(digits, places), Reference(text)) << text;
    }
  }
}

}  // namespace
}  // namespace sotto
