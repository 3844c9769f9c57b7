#include "sotto/random/loss_weights.h"

#include <gtest/gtest.h>

#include <vector>

#include "sotto/random/wide_uniform.h"
#include "sotto/testing/exact_number.h"
#include "sotto/testing/scripted_rng.h"
#include "sotto/testing/seeded_rng.h"
#include "sotto/testing/statistics.h"

namespace sotto {
namespace {

using Exact = ExactNumber;
constexpr std::uint64_t kMax = ~std::uint64_t{0};

Exact ToExact(Uint128 value) {
  return Exact(High64(value)) * Exact(std::uint64_t{1} << 32) *
             Exact(std::uint64_t{1} << 32) +
         Exact(Low64(value));
}

// A number just below e^rate: 1 + r + ... + r^40 / 40!.
Exact ExpBelow(const Rational& rate) {
  const Exact r = Exact(rate.numerator()) / Exact(rate.denominator());
  Exact term = 1;
  Exact sum = 1;
  for (int i = 1; i <= 40; ++i) {
    term *= r / Exact(i);
    sum += term;
  }
  return sum;
}

TEST(LossWeightsTest, NeighbouringWeightsDifferByAtMostTheRate) {
  for (const char* text : {"1/2", "1/6", "3/2", "1/64", "1/65536", "8"}) {
    const auto rate = ParseRational(text);
    const auto weights = LossWeights::Create(*rate, 87);
    ASSERT_TRUE(weights) << text;
    const Exact most = ExpBelow(*rate);
    const std::size_t step = std::max<std::size_t>(1, weights->flat() / 500);
    for (std::size_t x = 0; x < weights->flat() + 3; x += step) {
      const Uint128 now = (*weights)(x);
      const Uint128 next = (*weights)(x + 1);
      EXPECT_LE(next, now);
      EXPECT_GT(next, 0U);
      EXPECT_LE(ToExact(now), most * ToExact(next)) << text << " at " << x;
    }
  }
}

TEST(LossWeightsTest, WeightsFollowTheExponentialClosely) {
  const auto weights = LossWeights::Create(*Rational::Create(1, 2), 90);
  ASSERT_TRUE(weights);
  const Exact most = ExpBelow(*Rational::Create(1, 2));
  Exact ideal = ToExact((*weights)(0));
  for (std::size_t x = 0; x < 40; ++x) {
    const Exact quotient = ToExact((*weights)(x)) / ideal;
    EXPECT_GE(quotient, 1);
    EXPECT_LT(quotient, Exact(1) + Exact(1) / 1'000'000'000);
    ideal /= most;
  }
  EXPECT_LE(weights->least(), 4U);
}

// All losses of three candidates up to 3, all removals that lower each by 0 or
// 1: the worst ratio of a probability.
template <typename Weight>
Exact WorstRatio(const Weight& weight) {
  Exact worst = 1;
  for (int code = 0; code < 64 * 8; ++code) {
    std::vector<std::uint64_t> before;
    std::vector<std::uint64_t> after;
    for (int i = 0; i < 3; ++i) {
      const std::uint64_t loss = static_cast<unsigned>(code >> (2 * i)) & 3;
      const std::uint64_t falls = static_cast<unsigned>(code >> (6 + i)) & 1;
      before.push_back(loss + 1);
      after.push_back(loss + 1 - falls);
    }
    const auto distribution = [&](std::vector<std::uint64_t> losses) {
      const std::uint64_t least = *std::ranges::min_element(losses);
      std::vector<Exact> p;
      Exact sum = 0;
      for (const std::uint64_t loss : losses) {
        p.push_back(weight(loss - least));
        sum += p.back();
      }
      for (Exact& each : p) each /= sum;
      return p;
    };
    const auto p = distribution(before);
    const auto q = distribution(after);
    for (std::size_t i = 0; i < 3; ++i) {
      if (p[i] == Exact(0) || q[i] == Exact(0)) return 1'000'000;
      worst = std::max({worst, Exact(p[i] / q[i]), Exact(q[i] / p[i])});
    }
  }
  return worst;
}

TEST(LossWeightsTest, ARemovalChangesNoProbabilityByMoreThanTheRate) {
  const auto rate = ParseRational("3");
  const auto weights = LossWeights::Create(*rate, 40);
  ASSERT_TRUE(weights);
  const Exact worst =
      WorstRatio([&](std::uint64_t x) { return ToExact((*weights)(x)); });
  EXPECT_LE(worst, ExpBelow(*rate));
  EXPECT_GT(worst, ExpBelow(*rate) * Exact(9) / 10);
}

TEST(LossWeightsTest, WeightsThatAreRoundedDownAreNotPrivate) {
  // The broken variant: 2^7 e^(-3x), rounded down, is 128, 6, 0.
  const Exact worst = WorstRatio([](std::uint64_t x) {
    return Exact(std::vector<int>{128, 6, 0, 0}[x]);
  });
  EXPECT_GT(worst, ExpBelow(*ParseRational("3")));
}

TEST(LossWeightsTest, RejectsWhatTheContractForbids) {
  EXPECT_FALSE(LossWeights::Create(*ParseRational("65"), 80));
  EXPECT_FALSE(LossWeights::Create(*ParseRational("1/65537"), 80));
  EXPECT_FALSE(LossWeights::Create(*ParseRational("1"), 111));
  EXPECT_FALSE(LossWeights::Create(*ParseRational("1"), 39));
}

TEST(WideUniformTest, IsTheUpperPartOfTheProduct) {
  // V = 2^255: half of n, rounded down.
  testing::ScriptedRng half({std::uint64_t{1} << 63, 0, 0, 1});
  EXPECT_EQ(Low64(WideUniformBelow(101, half)), 50U);
  const Uint128 most = (Uint128{1} << 127) - 1;
  testing::ScriptedRng ones({kMax, kMax, kMax, kMax});
  EXPECT_TRUE(WideUniformBelow(most, ones) == most - 1);
}

TEST(WideUniformTest, DrawsAgainWhereOneValueWouldHaveOneMore) {
  // 2^256 mod 3 = 1: only the remainder 0 is rejected.
  testing::ScriptedRng again({0, 0, 0, 0, kMax, kMax, kMax, kMax});
  EXPECT_EQ(Low64(WideUniformBelow(3, again)), 2U);
  testing::ScriptedRng kept({0, 0, 0, 1, 0, 0, 0, 0});
  EXPECT_EQ(Low64(WideUniformBelow(3, kept)), 0U);
  // 2^256 mod 4 = 0: nothing is rejected.
  testing::ScriptedRng zero({0, 0, 0, 0, kMax, kMax, kMax, kMax});
  EXPECT_EQ(Low64(WideUniformBelow(4, zero)), 0U);
}

// alpha = 1e-6.
TEST(WideUniformStatisticalTest, FollowsTheUniformDistribution) {
  testing::SeededRng rng(3);
  std::vector<std::uint64_t> counts(7);
  const Uint128 cell = (Uint128{1} << 127) / 7;
  for (int i = 0; i < 70'000; ++i) {
    ++counts[Low64(WideUniformBelow(cell * 7, rng) / cell)];
  }
  EXPECT_GT(ChiSquaredPValue(counts, std::vector<double>(7, 1.0 / 7)), 1e-6);
}

}  // namespace
}  // namespace sotto
