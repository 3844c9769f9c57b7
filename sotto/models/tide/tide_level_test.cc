// The level of numbers: the distribution of its one release, enumerated, beside
// that of the class itself; and what is made of it.

#include "sotto/models/tide/tide_level.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <memory>
#include <vector>

#include "sotto/accounting/gaussian_analytic.h"
#include "sotto/base/portable_math.h"
#include "sotto/base/rational.h"
#include "sotto/models/tide/tide_calibration.h"
#include "sotto/random/fixed_work_gaussian.h"
#include "sotto/testing/seeded_rng.h"

namespace sotto {
namespace {

constexpr int kBits = 2;  // labels in quarters: sums that can be enumerated
constexpr double kEpsilon = 1;

// Adds a given number, and keeps what it was added to.
class Scripted final : public TideNoiseSource {
 public:
  Scripted(std::int64_t noise, std::vector<std::int64_t>& seen)
      : noise_(noise), seen_(seen) {}
  void Add(std::span<std::int64_t> values, Rng&) override {
    for (std::int64_t& value : values) {
      seen_.push_back(value);
      value += noise_;
    }
  }

 private:
  std::int64_t noise_;
  std::vector<std::int64_t>& seen_;
};

// The sum that noise is added to.
std::int64_t ComputeSum(const std::vector<double>& places) {
  TideLevel level(kBits);
  for (const double place : places) level.Add(place);
  std::vector<std::int64_t> seen;
  Scripted source(0, seen);
  testing::SeededRng unused(0);
  level.Release(places.size(), source, unused);
  EXPECT_EQ(seen.size(), 1U);
  return seen.at(0);
}

double Density(std::int64_t z, double variance) {
  const auto x = static_cast<double>(z);
  return std::exp(-x * x / (2 * variance));
}

// Delta at kEpsilon of a discrete Gaussian of this variance, shifted.
double ShiftedDelta(std::int64_t shift, double variance) {
  constexpr std::int64_t kReach = 400;
  double mass = 0;
  for (std::int64_t z = -kReach; z <= kReach; ++z) {
    mass += Density(z, variance);
  }
  double delta = 0;
  for (std::int64_t z = -kReach; z <= kReach; ++z) {
    const double p = Density(z, variance) / mass;
    const double q = Density(z - shift, variance) / mass;
    delta += std::max(0.0, p - std::exp(kEpsilon) * q);
  }
  return delta;
}

// Every pair of neighbours over three rows of five labels or none: the
// distribution that the class follows is within the claim of one Gaussian
// release, and noise for half the range is not.
TEST(TideLevelTest, EveryPairOfNeighboursIsWithinTheClaim) {
  constexpr double kNone = 0.5;  // adds nothing
  const std::vector<double> labels = {0, 0.25, kNone, 0.75, 1};
  const double reach =
      TideLevelSensitivity({.coordinates = 1, .number = true}, kBits);
  EXPECT_NEAR(reach, 4, 1e-6);
  constexpr double kSigma = 1.5;
  const double variance = kSigma * kSigma * reach * reach + 1.0 / 12;
  const auto exact =
      Rational::Create(static_cast<std::uint64_t>(std::ceil(variance)), 1);
  ASSERT_TRUE(exact);
  const double claim = *GaussianDelta({.sigma = kSigma}, kEpsilon) +
                       (1 + std::exp(kEpsilon)) *
                           FixedWorkGaussian::RoundedNormalDistance(*exact);
  double worst = 0;
  double broken = 0;
  for (const double a : labels) {
    for (const double b : labels) {
      for (const double c : labels) {
        const std::int64_t shift =
            ComputeSum({a, b, 0.3}) - ComputeSum({a, c, 0.3});
        EXPECT_LE(std::abs(static_cast<double>(shift)), reach);
        worst = std::max(worst, ShiftedDelta(shift, std::ceil(variance)));
        broken = std::max(broken, ShiftedDelta(shift, variance / 4));
      }
    }
  }
  EXPECT_LE(worst, claim);
  EXPECT_GT(worst, 0.9 * claim);
  EXPECT_GT(broken, 1.5 * claim);
}

// The real noise, over and over: the released score takes the values of the
// distribution above. 20,000 runs; each frequency within 6 deviations, and
// fewer than 60 of them: a false alarm has probability below 1e-6.
TEST(TideLevelTest, TheClassFollowsTheEnumeratedDistribution) {
  const auto variance = *Rational::Create(9, 1);
  const auto sampler = *FixedWorkGaussian::Create(variance);
  constexpr int kRuns = 20'000;
  constexpr std::uint64_t kRows = 1000;  // so that no level is cut off
  testing::SeededRng rng(5);
  std::map<double, int> seen;
  for (int run = 0; run < kRuns; ++run) {
    TideLevel level(kBits);
    level.Add(1);
    level.Add(0.75);
    TideGaussian source(sampler, kTideLevelPart, 4);
    ++seen[level.Release(kRows, source, rng)];
  }
  double mass = 0;
  for (std::int64_t z = -60; z <= 60; ++z) mass += Density(z, 9);
  for (std::int64_t z = -9; z <= 9; ++z) {
    const double place = 0.5 + static_cast<double>(3 + z) / 4 / kRows;
    const double expected = kRuns * Density(z, 9) / mass;
    EXPECT_NEAR(seen[PortableLog(place / (1 - place))], expected,
                6 * std::sqrt(expected) + 1)
        << z;
  }
}

TEST(TideLevelTest, OddLabelsAreCutToTheRange) {
  EXPECT_EQ(ComputeSum({7.0, -3.0}), 0);
  EXPECT_EQ(ComputeSum({1e300}), 2);
  EXPECT_EQ(ComputeSum({0.49, 0.51}), 0);  // towards zero
}

TEST(TideLevelTest, AStateKeepsTheSum) {
  TideLevel level(kBits);
  level.Add(1);
  ByteWriter writer;
  level.Save(writer);
  TideLevel other(kBits);
  ByteReader reader(writer.bytes());
  ASSERT_TRUE(other.Load(reader));
  std::vector<std::int64_t> seen;
  Scripted source(0, seen);
  testing::SeededRng unused(0);
  other.Release(1, source, unused);
  EXPECT_EQ(seen.at(0), 2);
  // Rows are in one release.
  other.Release(1, source, unused);
  EXPECT_EQ(seen.at(1), 0);
  ByteReader nothing("");
  EXPECT_FALSE(other.Load(nothing));
}

TEST(TideLevelTest, TheLevelStaysInsideTheRange) {
  for (const double place : {0.0, 1.0}) {
    std::vector<std::int64_t> seen;
    TideLevel level(18);
    for (int t = 0; t < 10; ++t) level.Add(place);
    Scripted source(0, seen);
    testing::SeededRng unused(0);
    const double score = level.Release(10, source, unused);
    EXPECT_NEAR(1 / (1 + std::exp(-score)), place == 0 ? 0.03 : 0.97, 1e-9);
  }
}

TEST(TideLevelTest, LabelsThatHardlyDifferMakeSmallSteps) {
  const TideFirstNumbers wide = {.level = 0, .mean_gap = 0.2};
  const TideFirstNumbers narrow = {.level = 0, .mean_gap = 0.08};
  const TideFirstNumbers tiny = {.level = 0, .mean_gap = -0.01};
  EXPECT_EQ(ComputeTidePace(wide), 1);
  EXPECT_LT(ComputeTidePace(narrow), 0.5);
  EXPECT_EQ(ComputeTidePace(tiny), 0.15);
  // A wrong level explains gaps: then labels hardly spread.
  const TideFirstNumbers off = {
      .level = 0, .mean_error = 0.19, .mean_gap = 0.2};
  EXPECT_LT(ComputeTidePace(off), ComputeTidePace(wide));
  EXPECT_NEAR(RefineTideLevel(off), std::log(0.31 / 0.69), 1e-9);
  EXPECT_EQ(RaiseTidePace(0.4, 0.01), 0.4);
  EXPECT_EQ(RaiseTidePace(0.4, 9), 0.7);
  EXPECT_EQ(RaiseTidePace(1, 9), 1);
}

}  // namespace
}  // namespace sotto
