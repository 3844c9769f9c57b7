#include "sotto/audit/program/fact_reading.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

namespace sotto {
namespace {

using Kind = FactReading::Kind;

std::optional<double> Read(Kind kind, const std::string& text, int place = 0) {
  return FactReading{kind, place}.Of(FactValue::Of(text));
}

TEST(FactReadingTest, NumbersAreReadWithTheirCommas) {
  EXPECT_EQ(Read(Kind::kNumber, "1,234,567.5"), 1234567.5);
  EXPECT_EQ(Read(Kind::kNumber, "-2.5e-3"), -0.0025);
  for (const char* text : {"1,2", "0.5,125", "1.5,2.5", "word", "", "1e999"}) {
    EXPECT_EQ(Read(Kind::kNumber, text), std::nullopt) << text;
  }
}

TEST(FactReadingTest, DigitsAreThoseThatAreWritten) {
  EXPECT_EQ(Read(Kind::kLastDigit, "12.70"), 0);
  EXPECT_EQ(Read(Kind::kLastDigit, "1.25e-7"), 5);
  EXPECT_EQ(Read(Kind::kDecimal, "0.147", 1), 1);
  EXPECT_EQ(Read(Kind::kDecimal, "0.147", 2), 0);
  EXPECT_EQ(Read(Kind::kDecimal, "0.147", 9), 0);
  EXPECT_EQ(Read(Kind::kDecimal, "147", 1), std::nullopt);
}

TEST(FactReadingTest, RemaindersAreOfIntegersAndNeverNegative) {
  EXPECT_EQ(Read(Kind::kRemainder, "-3", 4), 1);
  EXPECT_EQ(Read(Kind::kRemainder, "1,001", 2), 1);
  EXPECT_EQ(Read(Kind::kRemainder, "2.5", 2), std::nullopt);
}

TEST(FactReadingTest, LowBitsAreThoseOfADouble) {
  EXPECT_EQ(Read(Kind::kFraction, "12"), 0);
  EXPECT_EQ(Read(Kind::kFraction, "-12.375"), 3);
  EXPECT_EQ(Read(Kind::kFraction, "1.0000000000000002"), 52);
  EXPECT_EQ(Read(Kind::kLowBit, "1.0000000000000002", 0), 1);
  EXPECT_EQ(Read(Kind::kLowBit, "1.0000000000000002", 1), 0);
  EXPECT_EQ(Read(Kind::kLowBit, "0", 0), std::nullopt);
}

TEST(FactReadingTest, AWordIsOneOfItsKindAndHasALength) {
  EXPECT_EQ(Read(Kind::kText, "yes"), Read(Kind::kText, "yes"));
  EXPECT_NE(Read(Kind::kText, "yes"), Read(Kind::kText, "no"));
  EXPECT_EQ(Read(Kind::kLength, "yes"), 3);
}

}  // namespace
}  // namespace sotto
