// The distributions that the fixed-work samplers implement, computed from their
// tables without drawing, against the exact distributions. The exact side is
// computed by Boost in 332 bits and shares no code with the tables.

#include <gtest/gtest.h>

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cstdint>
#include <span>
#include <vector>

#include "sotto/random/fixed_work_geometric.h"
#include "sotto/random/fixed_work_laplace.h"

namespace sotto {
namespace {

using Number = boost::multiprecision::cpp_bin_float_100;
using internal::GeometricDigits;
using Distribution = std::vector<Number>;

Rational Fraction(std::uint64_t numerator, std::uint64_t denominator) {
  return *Rational::Create(numerator, denominator);
}

Number Exact(const Rational& value) {
  return Number(value.numerator()) / Number(value.denominator());
}

Number PowerOfTwo(int exponent) { return ldexp(Number(1), exponent); }

Number FromFixedPoint(Uint128 value) {
  return ldexp(Number(High64(value)), -64) + ldexp(Number(Low64(value)), -128);
}

// The probability of each outcome of a table: exact, 128 bits are enough.
Distribution ComputeDistribution(const ThresholdTable& table) {
  Distribution distribution;
  Number before = 0;
  for (const Uint128 threshold : table.thresholds()) {
    const Number below = FromFixedPoint(threshold);
    distribution.push_back(below - before);
    before = below;
  }
  distribution.push_back(1 - before);
  return distribution;
}

// distribution[v] of the value that the digits put together.
Distribution ComputeDistribution(const GeometricDigits& digits) {
  Distribution distribution = {Number(1)};
  for (const auto& digit : digits.digits()) {
    EXPECT_EQ(distribution.size(), std::size_t{1} << digit.shift);
    Distribution next;
    for (const Number& high : ComputeDistribution(digit.table)) {
      for (const Number& low : distribution) next.push_back(high * low);
    }
    distribution = next;
  }
  return distribution;
}

// Index R + z holds the probability of z, for -R <= z < R.
Distribution Fold(const Distribution& signed_digits) {
  const std::size_t half = signed_digits.size() / 2;
  Distribution distribution(signed_digits.size());
  for (std::size_t g = 0; g < half; ++g) {
    distribution[half + g] = signed_digits[g];
    distribution[half - 1 - g] = signed_digits[half + g];
  }
  return distribution;
}

Distribution ExactGeometricDistribution(const Number& rate, std::size_t size) {
  const Number t = exp(-rate);
  Distribution distribution;
  Number probability = -expm1(-rate);
  for (std::size_t g = 0; g < size; ++g, probability *= t) {
    distribution.push_back(probability);
  }
  return distribution;
}

Distribution ExactLaplaceDistribution(const Number& rate, std::size_t size) {
  const Number t = exp(-rate);
  const std::size_t half = size / 2;
  Distribution distribution(size);
  Number probability = (1 - t) / (1 + t);
  for (std::size_t z = 0; z <= half; ++z, probability *= t) {
    if (z < half) distribution[half + z] = probability;
    distribution[half - z] = probability;
  }
  return distribution;
}

// Counts `tail`, the mass outside the table, in full.
Number TotalVariation(const Distribution& implemented,
                      const Distribution& exact) {
  EXPECT_EQ(implemented.size(), exact.size());
  Number sum = 0;
  Number inside = 0;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    sum += abs(implemented[i] - exact[i]);
    inside += exact[i];
  }
  return (sum + (1 - inside)) / 2;
}

std::vector<Rational> SmallRates() {
  return {Fraction(64, 1), Fraction(3, 1),  Fraction(1, 1),
          Fraction(5, 7),  Fraction(1, 10), Fraction(5, 97)};
}

std::vector<Rational> AllRates() {
  std::vector<Rational> rates = SmallRates();
  rates.push_back(Fraction(1, 1000));
  rates.push_back(Fraction(1, 1000000));
  rates.push_back(Fraction(7, 100000001));
  rates.push_back(Fraction(1, std::uint64_t{1} << 48));
  return rates;
}

TEST(FixedWorkLaplaceTest,
     TheDistributionIsWithinItsDeclaredDistanceTailsIncluded) {
  for (const Rational& rate : SmallRates()) {
    const auto noise = FixedWorkLaplace::Create(rate);
    ASSERT_TRUE(noise);
    const Distribution distribution =
        Fold(ComputeDistribution(noise->digits()));
    const Number distance = TotalVariation(
        distribution,
        ExactLaplaceDistribution(Exact(rate), distribution.size()));
    EXPECT_LT(distance, PowerOfTwo(-FixedWorkLaplace::TotalVariationLog2()))
        << rate.ToString();
    EXPECT_GT(distance, PowerOfTwo(-180)) << rate.ToString();
  }
}

TEST(FixedWorkGeometricTest,
     TheDistributionIsWithinItsDeclaredDistanceTailsIncluded) {
  for (const Rational& rate : SmallRates()) {
    const auto noise = FixedWorkGeometric::Create(rate);
    ASSERT_TRUE(noise);
    const Distribution distribution = ComputeDistribution(noise->digits());
    EXPECT_LT(
        TotalVariation(distribution, ExactGeometricDistribution(
                                         Exact(rate), distribution.size())),
        PowerOfTwo(-FixedWorkGeometric::TotalVariationLog2()))
        << rate.ToString();
  }
}

// Pr[digit = d] for a digit of `radix` values at place `shift`.
Distribution ExactDigitDistribution(const Number& rate, unsigned shift,
                                    std::size_t radix) {
  const Number unit = ldexp(rate, static_cast<int>(shift));
  Distribution distribution;
  Number sum = 0;
  for (std::size_t d = 0; d < radix; ++d) {
    distribution.push_back(exp(-unit * d));
    sum += distribution.back();
  }
  for (Number& probability : distribution) probability /= sum;
  return distribution;
}

Distribution WithSign(const Distribution& digit, const Number& rate) {
  const Number t = exp(-rate);
  Distribution distribution;
  for (const Number& p : digit) distribution.push_back(p / (1 + t));
  for (const Number& p : digit) distribution.push_back(p * t / (1 + t));
  return distribution;
}

// Where the distribution is too large to list: the digits are independent, so
// their distances and the tail add up.
TEST(FixedWorkLaplaceTest, TheDigitsOfEveryScaleAddUpToTheDeclaredDistance) {
  for (const Rational& rate : AllRates()) {
    const auto noise = FixedWorkLaplace::Create(rate);
    ASSERT_TRUE(noise);
    const GeometricDigits& digits = noise->digits();
    const Number exact = Exact(rate);
    Number distance = exp(-ldexp(exact, static_cast<int>(digits.bits())));
    for (const auto& digit : digits.digits()) {
      const Distribution distribution = ComputeDistribution(digit.table);
      const bool top = &digit == &digits.digits().back();
      Distribution wanted = ExactDigitDistribution(
          exact, digit.shift, distribution.size() / (top ? 2 : 1));
      if (top) wanted = WithSign(wanted, exact);
      distance += TotalVariation(distribution, wanted);
    }
    EXPECT_LT(distance, PowerOfTwo(-FixedWorkLaplace::TotalVariationLog2()))
        << rate.ToString();
  }
}

TEST(FixedWorkLaplaceTest, ATableForASlightlyWrongRateIsRefuted) {
  const auto wrong = FixedWorkLaplace::Create(Fraction(1000001, 10000000));
  ASSERT_TRUE(wrong);
  const Distribution distribution = Fold(ComputeDistribution(wrong->digits()));
  const Distribution exact =
      ExactLaplaceDistribution(Number(1) / 10, distribution.size());
  EXPECT_GT(TotalVariation(distribution, exact), Number(1e-7));
}

TEST(FixedWorkLaplaceTest, AFairSignThatDoublesZeroIsRefuted) {
  const Rational rate = Fraction(1, 10);
  const auto magnitude = FixedWorkGeometric::Create(rate);
  ASSERT_TRUE(magnitude);
  const Distribution geometric = ComputeDistribution(magnitude->digits());
  const std::size_t half = geometric.size();
  Distribution distribution(2 * half);
  for (std::size_t g = 0; g < half; ++g) {
    distribution[half + g] += geometric[g] / 2;
    distribution[half - g] += geometric[g] / 2;
  }
  const Distribution exact =
      ExactLaplaceDistribution(Exact(rate), distribution.size());
  EXPECT_GT(TotalVariation(distribution, exact), Number(0.01));
}

TEST(FixedWorkLaplaceTest, RefusesScalesOutOfRange) {
  EXPECT_TRUE(FixedWorkLaplace::Create(Fraction(1, 10000000)));
  EXPECT_TRUE(FixedWorkLaplace::Create(Fraction(1, std::uint64_t{1} << 48)));
  EXPECT_FALSE(
      FixedWorkLaplace::Create(Fraction(1, (std::uint64_t{1} << 48) + 1)));
  EXPECT_FALSE(FixedWorkLaplace::Create(Fraction(129, 2)));
  EXPECT_FALSE(FixedWorkGeometric::Create(Fraction(129, 2)));
}

}  // namespace
}  // namespace sotto
