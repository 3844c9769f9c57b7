// Draws against exact probabilities, chi-squared. Every check is shown to
// refute a broken variant.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <span>
#include <vector>

#include "sotto/random/exact_samplers.h"
#include "sotto/random/fixed_work_geometric.h"
#include "sotto/random/fixed_work_laplace.h"
#include "sotto/testing/seeded_rng.h"
#include "sotto/testing/statistics.h"

namespace sotto {
namespace {

using testing::SeededRng;
using Filler = std::function<void(Rng&, std::span<std::int64_t>)>;

constexpr double kAlpha = 1e-6;

// Integers in [-reach, reach] in bins of `width`, and a bin for each tail.
struct Bins {
  std::int64_t reach;
  std::int64_t width;

  std::size_t Index(std::int64_t z) const {
    const std::int64_t clamped = std::clamp(z, -reach - 1, reach + 1);
    if (clamped < -reach) return 0;
    const std::int64_t bin = 1 + (clamped + reach) / width;
    return static_cast<std::size_t>(std::min(bin, Count() - 1));
  }
  std::int64_t Count() const { return 2 + (2 * reach + width) / width; }
};

template <typename Probability>
std::vector<double> ComputeDistribution(const Bins& bins, std::int64_t last,
                                        Probability probability) {
  std::vector<double> distribution(static_cast<std::size_t>(bins.Count()));
  for (std::int64_t z = -last; z <= last; ++z)
    distribution[bins.Index(z)] += probability(z);
  return distribution;
}

double PValue(const Filler& fill, const Bins& bins,
              const std::vector<double>& distribution, std::int64_t draws,
              std::uint64_t seed) {
  SeededRng rng(seed);
  // One counter an integer first: binning every draw would take longer than
  // drawing it.
  const std::int64_t edge = bins.reach + 1;
  std::vector<std::uint64_t> histogram(static_cast<std::size_t>(2 * edge + 1));
  std::vector<std::int64_t> values(1 << 12);
  for (std::int64_t left = draws; left > 0;) {
    const auto size = static_cast<std::size_t>(
        std::min<std::int64_t>(left, static_cast<std::int64_t>(values.size())));
    fill(rng, std::span(values).first(size));
    for (std::size_t i = 0; i < size; ++i) {
      ++histogram[static_cast<std::size_t>(std::clamp(values[i], -edge, edge) +
                                           edge)];
    }
    left -= static_cast<std::int64_t>(size);
  }
  std::vector<std::uint64_t> counts(distribution.size());
  for (std::int64_t z = -edge; z <= edge; ++z) {
    counts[bins.Index(z)] += histogram[static_cast<std::size_t>(z + edge)];
  }
  return ChiSquaredPValue(counts, distribution);
}

template <typename Sampler>
Filler OneByOne(const Sampler& sampler) {
  return [&sampler](Rng& rng, std::span<std::int64_t> values) {
    for (std::int64_t& value : values) value = sampler.Sample(rng);
  };
}

template <typename Sampler>
Filler Batched(const Sampler& sampler) {
  return [&sampler](Rng& rng, std::span<std::int64_t> values) {
    sampler.Fill(rng, values);
  };
}

std::vector<double> LaplaceDistribution(const Bins& bins, double rate) {
  const double zero = -std::expm1(-rate) / (1 + std::exp(-rate));
  const auto last = static_cast<std::int64_t>(60 / rate);
  return ComputeDistribution(bins, last, [=](std::int64_t z) {
    return zero * std::exp(-rate * std::abs(static_cast<double>(z)));
  });
}

std::vector<double> GeometricDistribution(const Bins& bins, double rate) {
  const auto last = static_cast<std::int64_t>(60 / rate);
  return ComputeDistribution(bins, last, [=](std::int64_t g) {
    return g < 0
               ? 0
               : -std::expm1(-rate) * std::exp(-rate * static_cast<double>(g));
  });
}

std::vector<double> GaussianDistribution(const Bins& bins, double variance) {
  const auto last = static_cast<std::int64_t>(12 * std::sqrt(variance)) + 2;
  const auto weight = [=](std::int64_t z) {
    return std::exp(-static_cast<double>(z * z) / (2 * variance));
  };
  double sum = 0;
  for (std::int64_t z = -last; z <= last; ++z) sum += weight(z);
  return ComputeDistribution(bins, last,
                             [=](std::int64_t z) { return weight(z) / sum; });
}

Rational Fraction(std::uint64_t numerator, std::uint64_t denominator) {
  return *Rational::Create(numerator, denominator);
}

TEST(FixedWorkLaplaceStatisticalTest,
     AHundredMillionDrawsFollowTheDistribution) {
  const auto noise = FixedWorkLaplace::Create(Fraction(1, 10));
  ASSERT_TRUE(noise);
  const Bins bins{120, 1};
  EXPECT_GT(PValue(Batched(*noise), bins, LaplaceDistribution(bins, 0.1),
                   100'000'000, 1),
            kAlpha);
}

TEST(FixedWorkLaplaceStatisticalTest,
     SingleAndBatchedDrawsOfOtherScalesFollow) {
  for (const std::uint64_t scale : {1u, 7u, 1000u, 100000u}) {
    const auto noise = FixedWorkLaplace::Create(Fraction(1, scale));
    ASSERT_TRUE(noise);
    const auto s = static_cast<std::int64_t>(scale);
    const Bins bins{8 * s, std::max<std::int64_t>(1, s / 5)};
    const auto distribution =
        LaplaceDistribution(bins, 1.0 / static_cast<double>(scale));
    EXPECT_GT(PValue(Batched(*noise), bins, distribution, 4'000'000, 2), kAlpha)
        << scale;
    EXPECT_GT(PValue(OneByOne(*noise), bins, distribution, 400'000, 3), kAlpha)
        << scale;
  }
}

TEST(FixedWorkLaplaceStatisticalTest, ARateThatIsOnePercentWrongIsRefuted) {
  const auto wrong = FixedWorkLaplace::Create(Fraction(101, 1000));
  ASSERT_TRUE(wrong);
  const Bins bins{100, 1};
  EXPECT_LT(PValue(Batched(*wrong), bins, LaplaceDistribution(bins, 0.1),
                   10'000'000, 4),
            kAlpha);
}

TEST(FixedWorkLaplaceStatisticalTest, AFairSignThatDoublesZeroIsRefuted) {
  const auto magnitude = FixedWorkGeometric::Create(Fraction(1, 10));
  ASSERT_TRUE(magnitude);
  const Filler doubled_zero = [&](Rng& rng, std::span<std::int64_t> values) {
    magnitude->Fill(rng, values);
    for (std::int64_t& value : values) value *= (rng.Next() & 1) != 0 ? 1 : -1;
  };
  const Bins bins{80, 1};
  EXPECT_LT(
      PValue(doubled_zero, bins, LaplaceDistribution(bins, 0.1), 1'000'000, 5),
      kAlpha);
}

TEST(FixedWorkGeometricStatisticalTest, DrawsFollowTheDistribution) {
  const auto noise = FixedWorkGeometric::Create(Fraction(2, 15));
  ASSERT_TRUE(noise);
  const Bins bins{65, 1};
  const auto distribution = GeometricDistribution(bins, 2.0 / 15);
  EXPECT_GT(PValue(Batched(*noise), bins, distribution, 10'000'000, 6), kAlpha);
  EXPECT_GT(PValue(OneByOne(*noise), bins, distribution, 1'000'000, 7), kAlpha);
}

TEST(ExactGeometricStatisticalTest, DrawsFollowTheDistribution) {
  const auto noise = ExactGeometric::Create(Fraction(2, 15));
  ASSERT_TRUE(noise);
  const Bins bins{70, 1};
  EXPECT_GT(PValue(OneByOne(*noise), bins,
                   GeometricDistribution(bins, 2.0 / 15), 1'000'000, 8),
            kAlpha);
}

TEST(ExactLaplaceStatisticalTest,
     DrawsFollowTheDistributionAndABrokenVariantDoesNot) {
  const auto noise = ExactLaplace::Create(Fraction(3, 20));
  ASSERT_TRUE(noise);
  const Bins bins{55, 1};
  const Filler fill = OneByOne(*noise);
  EXPECT_GT(PValue(fill, bins, LaplaceDistribution(bins, 0.15), 1'000'000, 9),
            kAlpha);
  EXPECT_LT(PValue(fill, bins, LaplaceDistribution(bins, 0.152), 1'000'000, 9),
            kAlpha);
}

TEST(ExactGaussianStatisticalTest,
     DrawsFollowTheDistributionAndABrokenVariantDoesNot) {
  for (const Rational& variance :
       {Fraction(1, 3), Fraction(25, 4), Fraction(1000, 1)}) {
    const auto noise = ExactGaussian::Create(variance);
    ASSERT_TRUE(noise);
    const double exact = static_cast<double>(variance.numerator()) /
                         static_cast<double>(variance.denominator());
    const double sigma = std::sqrt(exact);
    const Bins bins{
        static_cast<std::int64_t>(2.5 * sigma),
        std::max<std::int64_t>(1, static_cast<std::int64_t>(sigma / 3))};
    const Filler fill = OneByOne(*noise);
    EXPECT_GT(
        PValue(fill, bins, GaussianDistribution(bins, exact), 1'000'000, 10),
        kAlpha)
        << exact;
    EXPECT_LT(PValue(fill, bins, GaussianDistribution(bins, exact * 1.03),
                     1'000'000, 10),
              kAlpha)
        << exact;
  }
}

}  // namespace
}  // namespace sotto
