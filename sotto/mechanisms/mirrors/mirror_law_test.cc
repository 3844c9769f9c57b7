#include "sotto/mechanisms/mirrors/mirror_law.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "sotto/testing/seeded_rng.h"
#include "sotto/testing/statistics.h"

namespace sotto {
namespace {

TEST(MirrorLawTest, ItsUnitsSumToTwoToThe128) {
  const auto law = MirrorLaw::Create(3, {1e-7L, 0.3L, 5, 0.7L, 1e-20L});
  ASSERT_TRUE(law);
  Uint128 sum = 0;
  for (std::uint64_t k = 0; k <= 10; ++k) sum += law->Units(k);
  EXPECT_TRUE(sum == 0);  // Modulo 2^128.
  EXPECT_EQ(law->first(), 3U);
  EXPECT_EQ(law->last(), 7U);
  EXPECT_NEAR(static_cast<double>(law->Probability(4)), 0.05, 1e-8);
}

TEST(MirrorLawTest, RefusesWeightsItCannotRepresent) {
  EXPECT_FALSE(MirrorLaw::Create(1, {1}));
  EXPECT_FALSE(MirrorLaw::Create(1, {1, 1e-45L}));
  EXPECT_FALSE(MirrorLaw::Create(1, {0, 0}));
  EXPECT_FALSE(MirrorLaw::Create(1, {1, -1, 3}));
  EXPECT_FALSE(MirrorLaw::Create(1, {1, NAN}));
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

TEST(MirrorLawStatisticalTest, DrawsItsProbabilities) {
  const auto law = MirrorLaw::Create(2, {1, 4, 3, 2});
  testing::SeededRng rng(5);
  std::vector<std::uint64_t> counts(4);
  for (int i = 0; i < 100000; ++i) ++counts[law->Draw(rng) - 2];
  const std::vector<double> expected = {0.1, 0.4, 0.3, 0.2};
  EXPECT_GT(ChiSquaredPValue(counts, expected), 1e-6);
}

}  // namespace
}  // namespace sotto
