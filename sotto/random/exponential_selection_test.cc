#include "sotto/random/exponential_selection.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "sotto/testing/scripted_rng.h"
#include "sotto/testing/seeded_rng.h"
#include "sotto/testing/statistics.h"

namespace sotto {
namespace {

using Number = boost::multiprecision::cpp_bin_float_100;
using testing::ScriptedRng;
using testing::SeededRng;
using Scores = std::vector<std::int64_t>;

constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
constexpr std::uint64_t kOnes = std::numeric_limits<std::uint64_t>::max();

ExponentialSelection Selection(std::uint64_t numerator,
                               std::uint64_t denominator) {
  return *ExponentialSelection::Create(
      *Rational::Create(numerator, denominator));
}

std::vector<Number> Normalized(std::vector<Number> weights) {
  Number sum = 0;
  for (const Number& weight : weights) sum += weight;
  for (Number& weight : weights) weight /= sum;
  return weights;
}

std::vector<Number> ExactDistribution(const Number& rate,
                                      const Scores& scores) {
  const Number best = *std::ranges::max_element(scores);
  std::vector<Number> weights;
  for (const std::int64_t score : scores) {
    weights.push_back(exp(rate * (Number(score) - best)));
  }
  return Normalized(weights);
}

std::vector<Number> ImplementedDistribution(
    const ExponentialSelection& selection, const Scores& scores) {
  std::vector<Number> weights;
  for (const Uint128 weight : selection.Weights(scores)) {
    weights.push_back(ldexp(Number(High64(weight)), 64) + Low64(weight));
  }
  return Normalized(weights);
}

Number TotalVariation(const std::vector<Number>& a,
                      const std::vector<Number>& b) {
  Number sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += abs(a[i] - b[i]);
  return sum / 2;
}

std::vector<Scores> HardScores() {
  Scores ramp;
  for (std::int64_t i = 0; i < 100; ++i) ramp.push_back(i * i - 3000);
  return {{0},          {5, 5},       {0, -1, -2, -3},
          {kMin, kMax}, {kMin, kMin}, {kMax, kMax - 1, 0, kMin},
          ramp};
}

TEST(ExponentialSelectionTest, TheDistributionIsWithinItsDeclaredDistance) {
  for (const auto& [a, b] :
       std::vector<std::pair<std::uint64_t, std::uint64_t>>{
           {1, 1}, {7, 3}, {64, 1}, {1, 1000}, {5, 97}, {1, 1ull << 48}}) {
    const ExponentialSelection selection = Selection(a, b);
    const Number rate = Number(a) / Number(b);
    for (const Scores& scores : HardScores()) {
      const int bits = ExponentialSelection::TotalVariationLog2(scores.size());
      EXPECT_GE(bits, 90);
      EXPECT_LT(TotalVariation(ImplementedDistribution(selection, scores),
                               ExactDistribution(rate, scores)),
                ldexp(Number(1), -bits))
          << a << "/" << b << " " << scores.size();
    }
  }
}

TEST(ExponentialSelectionTest, WeightsForASlightlyWrongRateAreRefuted) {
  const Scores scores = {0, -1, -2, -3};
  EXPECT_GT(TotalVariation(
                ImplementedDistribution(Selection(1000001, 1000000), scores),
                ExactDistribution(Number(1), scores)),
            Number(1e-7));
}

TEST(ExponentialSelectionTest, TheExtremesOfTheUniformPickTheEnds) {
  const ExponentialSelection selection = Selection(1, 10);
  const Scores scores = {3, 1, 4, 1, 5};
  ScriptedRng lowest({0, 0, 0, 0});
  EXPECT_EQ(selection.Select(scores, lowest), 0u);
  ScriptedRng highest({kOnes, kOnes, kOnes, kOnes});
  EXPECT_EQ(selection.Select(scores, highest), 4u);
}

// With equal weights 2^116 the choice is the top of the uniform number.
TEST(ExponentialSelectionTest, BoundariesBetweenEqualWeightsAreExact) {
  const ExponentialSelection selection = Selection(1, 10);
  const Scores scores(4, 17);
  for (std::uint64_t quarter = 0; quarter < 4; ++quarter) {
    ScriptedRng first({quarter << 62, 0, 0, 0});
    EXPECT_EQ(selection.Select(scores, first), quarter);
    ScriptedRng last({(quarter << 62) | (kOnes >> 2), kOnes, kOnes, kOnes});
    EXPECT_EQ(selection.Select(scores, last), quarter);
  }
}

TEST(ExponentialSelectionTest, TheDeclaredDistanceGrowsWithTheCandidates) {
  EXPECT_EQ(ExponentialSelection::TotalVariationLog2(1024), 104);
  EXPECT_EQ(ExponentialSelection::TotalVariationLog2(1025), 102);
  EXPECT_EQ(ExponentialSelection::TotalVariationLog2(1u << 20), 84);
}

TEST(ExponentialSelectionTest, RefusesRatesOutOfRange) {
  EXPECT_FALSE(ExponentialSelection::Create(*Rational::Create(65, 1)));
  EXPECT_FALSE(
      ExponentialSelection::Create(*Rational::Create(1, (1ull << 48) + 1)));
}

template <typename Choose>
std::vector<std::uint64_t> Count(std::size_t size, int draws, Choose choose) {
  std::vector<std::uint64_t> counts(size);
  for (int i = 0; i < draws; ++i) ++counts[choose()];
  return counts;
}

TEST(ExponentialSelectionStatisticalTest,
     BothFormsFollowTheLawAndATwinDoesNot) {
  const Scores scores = {0, 3, -4, 3, 10, 7};
  std::vector<double> distribution;
  for (const Number& p : ExactDistribution(Number(1) / 5, scores)) {
    distribution.push_back(static_cast<double>(p));
  }
  constexpr double kAlpha = 1e-6;
  constexpr int kDraws = 1'000'000;
  const ExponentialSelection selection = Selection(1, 5);
  SeededRng rng(1);
  EXPECT_GT(
      ChiSquaredPValue(Count(scores.size(), kDraws,
                             [&] { return selection.Select(scores, rng); }),
                       distribution),
      kAlpha);
  EXPECT_GT(ChiSquaredPValue(
                Count(scores.size(), kDraws,
                      [&] { return selection.SelectExactly(scores, rng); }),
                distribution),
            kAlpha);
  const ExponentialSelection wrong = Selection(21, 100);
  EXPECT_LT(ChiSquaredPValue(Count(scores.size(), kDraws,
                                   [&] { return wrong.Select(scores, rng); }),
                             distribution),
            kAlpha);
}

}  // namespace
}  // namespace sotto
