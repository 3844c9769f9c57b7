#include "sotto/random/fixed_work_gaussian.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <vector>

#include "sotto/testing/seeded_rng.h"
#include "sotto/testing/statistics.h"

namespace sotto {
namespace {

using Distribution = std::map<std::int64_t, long double>;

FixedWorkGaussian Make(std::uint64_t variance) {
  return *FixedWorkGaussian::Create(*Rational::Create(variance, 1));
}

long double Threshold(const ThresholdTable& table, std::size_t i) {
  if (i == table.thresholds().size()) return 1;
  const Uint128 t = table.thresholds()[i];
  return std::ldexp(static_cast<long double>(High64(t)), -64) +
         std::ldexp(static_cast<long double>(Low64(t)), -128);
}

// The distribution of step * X, as the table has it.
Distribution LevelDistribution(const ThresholdTable& table, std::int64_t step) {
  Distribution distribution;
  long double before = 0;
  for (std::size_t m = 0; m <= table.thresholds().size(); ++m) {
    const long double mass = Threshold(table, m) - before;
    before = Threshold(table, m);
    const std::int64_t value = step * static_cast<std::int64_t>(m);
    distribution[value] += mass / 2;
    distribution[-value] += mass / 2;
  }
  return distribution;
}

Distribution Sum(const Distribution& a, const Distribution& b) {
  Distribution sum;
  for (const auto& [x, p] : a) {
    for (const auto& [y, q] : b) sum[x + y] += p * q;
  }
  return sum;
}

Distribution ImplementedDistribution(const FixedWorkGaussian& gaussian) {
  Distribution distribution = {{0, 1}};
  for (const auto& level : gaussian.levels()) {
    distribution =
        Sum(distribution, LevelDistribution(level.magnitude, level.step));
  }
  return distribution;
}

Distribution ExactDistribution(long double variance) {
  const auto last = static_cast<std::int64_t>(16 * std::sqrt(variance)) + 2;
  Distribution distribution;
  long double total = 0;
  for (std::int64_t z = -last; z <= last; ++z) {
    const auto x = static_cast<long double>(z);
    total += distribution[z] = std::exp(-x * x / (2 * variance));
  }
  for (auto& [z, p] : distribution) p /= total;
  return distribution;
}

long double Distance(const Distribution& a, const Distribution& b) {
  long double sum = 0;
  for (const auto& [z, p] : a) {
    const auto found = b.find(z);
    sum += std::abs(p - (found == b.end() ? 0 : found->second));
  }
  for (const auto& [z, p] : b) {
    if (!a.contains(z)) sum += p;
  }
  return sum / 2;
}

TEST(FixedWorkGaussianTest, TheTablesConvolvedAreTheExactDistribution) {
  // One table, one step of 2, one of 4, and 4 with 2.
  const std::vector<std::pair<std::uint64_t, std::size_t>> cases = {
      {1, 1}, {200, 1}, {300, 2}, {1500, 2}, {6000, 3}};
  for (const auto& [variance, levels] : cases) {
    const FixedWorkGaussian gaussian = Make(variance);
    EXPECT_EQ(gaussian.levels().size(), levels);
    const long double distance =
        Distance(ImplementedDistribution(gaussian),
                 ExactDistribution(static_cast<long double>(variance)));
    // The rest is the rounding of long doubles in this test.
    EXPECT_LT(distance, 0x1p-54L) << variance;
  }
}

TEST(FixedWorkGaussianTest, StepsTooCoarseForTheLevelAreRefuted) {
  // 20 is too coarse for a level of deviation 7.25: the smoothing parameter
  // falls below 0.4 and the sum shows the grid.
  const FixedWorkGaussian level = Make(52);
  const auto& table = level.levels()[0].magnitude;
  const Distribution broken =
      Sum(LevelDistribution(table, 1), LevelDistribution(table, 20));
  EXPECT_GT(Distance(broken, ExactDistribution(52 * 401)), 1e-3L);
  const Distribution sound =
      Sum(LevelDistribution(table, 1), LevelDistribution(table, 4));
  EXPECT_LT(Distance(sound, ExactDistribution(52 * 17)), 0x1p-54L);
}

TEST(FixedWorkGaussianTest, IsARoundedNormalVariableToTheDistanceStated) {
  for (const std::uint64_t variance : {4, 9, 25, 100}) {
    const long double sigma =
        std::sqrt(static_cast<long double>(variance) - 1 / 12.0L);
    Distribution rounded;
    for (const auto& [z, p] :
         ExactDistribution(static_cast<long double>(variance))) {
      const long double low = std::abs(static_cast<long double>(z)) - 0.5L;
      const long double root = sigma * std::sqrt(2.0L);
      rounded[z] = (std::erfc(low / root) - std::erfc((low + 1) / root)) / 2;
    }
    const auto distance = static_cast<double>(Distance(
        ExactDistribution(static_cast<long double>(variance)), rounded));
    const double claim = FixedWorkGaussian::RoundedNormalDistance(
        *Rational::Create(variance, 1));
    EXPECT_LE(distance, claim) << variance;
    EXPECT_GE(distance, claim / 200) << variance;
    // The proved bound of the variance of the normal variable.
    EXPECT_GE(claim, 0.0139L / (sigma * sigma * sigma * sigma)) << variance;
  }
}

TEST(FixedWorkGaussianTest, LevelsAddUpToTheVariance) {
  const FixedWorkGaussian gaussian = Make(100'000'000'000'000);
  long double variance = 0;
  for (const auto& level : gaussian.levels()) {
    for (const auto& [x, p] : LevelDistribution(level.magnitude, level.step)) {
      variance += p * static_cast<long double>(x) * static_cast<long double>(x);
    }
  }
  EXPECT_NEAR(static_cast<double>(variance / 1e14L), 1, 1e-15);
}

TEST(FixedWorkGaussianTest, VariancesOutOfRangeAreRefused) {
  EXPECT_FALSE(FixedWorkGaussian::Create(*Rational::Create(1, 17)));
  EXPECT_TRUE(FixedWorkGaussian::Create(*Rational::Create(1, 16)));
  EXPECT_FALSE(
      FixedWorkGaussian::Create(*Rational::Create(std::uint64_t{1} << 62, 1)));
}

// Chi-squared at alpha 1e-6 in 64 bins of a normal variable.
double NormalPValue(const std::vector<std::int64_t>& draws, double sigma) {
  std::vector<std::uint64_t> counts(64, 0);
  const std::vector<double> expected(64, 1.0 / 64);
  for (const std::int64_t z : draws) {
    const double u =
        std::erfc(-static_cast<double>(z) / (sigma * std::sqrt(2.0))) / 2;
    ++counts[std::min<std::size_t>(63, static_cast<std::size_t>(u * 64))];
  }
  return ChiSquaredPValue(counts, expected);
}

TEST(FixedWorkGaussianStatisticalTest, LargeDrawsAreNormal) {
  testing::SeededRng rng(20240901);
  const FixedWorkGaussian gaussian = Make(100'000'000'000'000);
  std::vector<std::int64_t> draws(200'000);
  gaussian.Fill(rng, draws);
  EXPECT_GT(NormalPValue(draws, 1e7), 1e-6);
  for (std::int64_t& z : draws) z = gaussian.Sample(rng);
  EXPECT_GT(NormalPValue(draws, 1e7), 1e-6);
  EXPECT_LT(NormalPValue(draws, 1.03e7), 1e-6);  // The test can tell 3 %.
}

TEST(FixedWorkGaussianStatisticalTest, SmallDrawsHaveTheExactDistribution) {
  testing::SeededRng rng(20240902);
  const FixedWorkGaussian gaussian = Make(300);
  const Distribution distribution = ExactDistribution(300);
  for (const bool filled : {false, true}) {
    std::vector<std::int64_t> draws(200'000);
    gaussian.Fill(rng, draws);
    if (!filled) {
      for (std::int64_t& z : draws) z = gaussian.Sample(rng);
    }
    std::vector<std::uint64_t> counts(103, 0);
    std::vector<double> expected(103, 0);
    for (const std::int64_t z : draws) {
      ++counts[static_cast<std::size_t>(std::clamp<std::int64_t>(z, -51, 51) +
                                        51)];
    }
    for (const auto& [z, p] : distribution) {
      expected[static_cast<std::size_t>(std::clamp<std::int64_t>(z, -51, 51) +
                                        51)] += static_cast<double>(p);
    }
    EXPECT_GT(ChiSquaredPValue(counts, expected), 1e-6);
  }
}

}  // namespace
}  // namespace sotto
