#include "sotto/mechanisms/mirrors/mirror_distribution.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "sotto/testing/seeded_rng.h"
#include "sotto/testing/statistics.h"

namespace sotto {
namespace {

TEST(MirrorDistributionTest, ItsUnitsSumToTwoToThe128) {
  const auto distribution =
      MirrorDistribution::Create(3, {1e-7L, 0.3L, 5, 0.7L, 1e-20L});
  ASSERT_TRUE(distribution);
  Uint128 sum = 0;
  for (std::uint64_t k = 0; k <= 10; ++k) sum += distribution->Units(k);
  EXPECT_TRUE(sum == 0);  // Modulo 2^128.
  EXPECT_EQ(distribution->first(), 3U);
  EXPECT_EQ(distribution->last(), 7U);
  EXPECT_NEAR(static_cast<double>(distribution->Probability(4)), 0.05, 1e-8);
}

TEST(MirrorDistributionTest, RefusesWeightsItCannotRepresent) {
  EXPECT_FALSE(MirrorDistribution::Create(1, {1}));
  EXPECT_FALSE(MirrorDistribution::Create(1, {1, 1e-45L}));
  EXPECT_FALSE(MirrorDistribution::Create(1, {0, 0}));
  EXPECT_FALSE(MirrorDistribution::Create(1, {1, -1, 3}));
  EXPECT_FALSE(MirrorDistribution::Create(1, {1, NAN}));
}

TEST(MirrorHumpTest, KeepsItsLimitsAndSumsToOne) {
  const MirrorHump hump{.start = 1e-6L,
                        .growth = 0.9L,
                        .memory = 0.4L,
                        .addend = 1e-6L,
                        .cap = 1.7L,
                        .decay = 0.5L,
                        .end = 1e-6L};
  const auto weights = HumpWeights(hump);
  ASSERT_GT(weights.size(), 10U);
  long double sum = 0;
  long double accumulated = 0;
  for (std::size_t k = 0; k < weights.size(); ++k) {
    if (k > 0) {
      EXPECT_LE(weights[k], std::min(hump.growth * accumulated + hump.addend,
                                     hump.cap * weights[k - 1]) *
                                (1 + 1e-15L));
      EXPECT_GE(weights[k], hump.decay * weights[k - 1] * (1 - 1e-9L));
    }
    sum += weights[k];
    accumulated = weights[k] + hump.memory * accumulated;
  }
  EXPECT_GE(sum, 1 - 1e-15L);
  EXPECT_LE(sum, 1 + 1e-6L);
  EXPECT_LE(weights.back(), hump.end);
}

TEST(MirrorHumpTest, IsEmptyIfItCannotRise) {
  EXPECT_TRUE(HumpWeights({.start = 1e-6L, .growth = 0.9L, .cap = 1}).empty());
}

// A number between the two, evenly on a logarithmic scale.
long double Between(long double low, long double high, Rng& rng) {
  const auto part = static_cast<long double>(rng.Next()) * 0x1p-64L;
  return low * std::pow(high / low, part);
}

// The weights made the long way: adds the fall up for every limit.
std::vector<long double> AddedUp(const MirrorHump& hump) {
  const auto mass = [&](long double peak) {
    long double sum = peak;
    while (hump.decay > 0 && peak > hump.end) sum += peak *= hump.decay;
    return sum;
  };
  std::vector<long double> weights = {hump.start};
  long double accumulated = hump.start;
  long double rest = 1 - hump.start;
  while (true) {
    const long double limit = std::min(hump.growth * accumulated + hump.addend,
                                       hump.cap * weights.back());
    if (mass(limit) >= rest) break;
    weights.push_back(limit);
    rest -= limit;
    accumulated = limit + hump.memory * accumulated;
  }
  long double low = 0;
  long double high = hump.cap * weights.back();
  for (int i = 0; i < 200; ++i) {
    const long double middle = (low + high) / 2;
    (mass(middle) < rest ? low : high) = middle;
  }
  weights.push_back(high);
  while (hump.decay > 0 && weights.back() > hump.end) {
    weights.push_back(weights.back() * hump.decay);
  }
  return weights;
}

// Geometric ones, as of stairs, and ones that remember, as of silences; both
// with slow and fast falls, and without.
MirrorHump AnyHump(int i, Rng& rng) {
  MirrorHump hump{.start = Between(1e-9L, 0.2L, rng),
                  .growth = 1 + Between(0.02L, 2, rng),
                  .end = Between(1e-9L, 0.2L, rng)};
  hump.cap = hump.growth;
  if (i % 3 != 0) hump.decay = 1 - Between(0.01L, 0.9L, rng);
  if (i % 2 != 0) {
    hump.growth = Between(0.5L, 2, rng);
    hump.memory = 1 - Between(0.01L, 0.4L, rng);
    hump.addend = hump.start;
  }
  return hump;
}

TEST(MirrorHumpTest, ItsWeightsAreThoseOfAddingEveryFallUp) {
  testing::SeededRng rng(6);
  for (int i = 0; i < 300; ++i) {
    const MirrorHump hump = AnyHump(i, rng);
    EXPECT_EQ(HumpWeights(hump), AddedUp(hump)) << i;
  }
}

TEST(MirrorHumpTest, ItsMeanIsThatOfItsWeights) {
  testing::SeededRng rng(7);
  for (int i = 0; i < 5000; ++i) {
    const MirrorHump hump = AnyHump(i, rng);
    const auto weights = HumpWeights(hump);
    ASSERT_FALSE(weights.empty());
    long double mass = 0;
    long double sum = 0;
    for (std::size_t k = 0; k < weights.size(); ++k) {
      mass += weights[k];
      sum += static_cast<long double>(k + 1) * weights[k];
    }
    const auto mean = static_cast<double>(sum / mass);
    EXPECT_NEAR(HumpMean(hump), mean, 1e-9 * mean) << i;
  }
}

TEST(MirrorHumpTest, HasNoMeanWhereItHasNoDistribution) {
  const auto infinity = std::numeric_limits<double>::infinity();
  MirrorHump hump{.start = 1e-6L, .growth = 0.9L, .cap = 1};
  EXPECT_EQ(HumpMean(hump), infinity);  // It cannot rise,
  hump.growth = hump.cap = 1 + 1e-5L;   // or takes too long to,
  EXPECT_EQ(HumpMean(hump), infinity);
  EXPECT_TRUE(HumpWeights(hump).empty());
  hump.growth = hump.cap = 2;
  hump.end = 1e-6L;
  // or to fall: some 4000 values, too many, and without an end.
  hump.decay = 1 - 1e-3L;
  EXPECT_LT(HumpMean(hump), 1e4);
  for (const long double slow : {1e-5L, 1e-9L, 1e-13L, 0.0L}) {
    hump.decay = 1 - slow;
    EXPECT_EQ(HumpMean(hump), infinity) << slow;
    EXPECT_FALSE(MirrorDistribution::Create(1, HumpWeights(hump))) << slow;
  }
}

TEST(MirrorDistributionStatisticalTest, DrawsItsProbabilities) {
  const auto distribution = MirrorDistribution::Create(2, {1, 4, 3, 2});
  testing::SeededRng rng(5);
  std::vector<std::uint64_t> counts(4);
  for (int i = 0; i < 100000; ++i) ++counts[distribution->Draw(rng) - 2];
  const std::vector<double> expected = {0.1, 0.4, 0.3, 0.2};
  EXPECT_GT(ChiSquaredPValue(counts, expected), 1e-6);
}

}  // namespace
}  // namespace sotto
