#include "sotto/accounting/privacy_loss.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace sotto {
namespace {

// The hockey-stick divergence of the lattice, its declared errors included.
double ComputeDelta(const LossGrid& grid, double epsilon) {
  double sum = 0;
  for (std::size_t i = 0; i < grid.mass.size(); ++i) {
    const double loss =
        (static_cast<double>(grid.first + static_cast<std::int64_t>(i)) +
         grid.offset) *
            grid.spacing +
        grid.slack;
    if (loss > epsilon) sum += grid.mass[i] * -std::expm1(epsilon - loss);
  }
  return sum / (1 - grid.relative_error) * (1 + 1e-14) + grid.infinity +
         grid.truncated;
}

double ComputeTotal(const LossGrid& grid) {
  double sum = grid.infinity + grid.truncated;
  for (const double mass : grid.mass) sum += mass;
  return sum;
}

double LaplaceDelta(double scale, double epsilon) {
  return epsilon >= 1 / scale ? 0 : -std::expm1((epsilon - 1 / scale) / 2);
}

double GaussianDeltaAt(double mu, double epsilon) {
  const auto phi = [](double x) {
    return 0.5 * std::erfc(-x / std::sqrt(2.0));
  };
  return phi(mu / 2 - epsilon / mu) -
         std::exp(epsilon) * phi(-mu / 2 - epsilon / mu);
}

double PairDelta(const std::vector<double>& p, const std::vector<double>& q,
                 double epsilon) {
  double sum = 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    sum += std::max(0.0, p[i] - std::exp(epsilon) * q[i]);
  }
  return sum;
}

std::vector<double> RandomDistribution(std::mt19937_64& rng, std::size_t size) {
  std::vector<double> p(size);
  double sum = 0;
  for (double& x : p) {
    x = static_cast<double>(rng() % 1000 + 1);
    sum += x;
  }
  for (double& x : p) x /= sum;
  return p;
}

TEST(PrivacyLossTest, LaplaceLatticeDominatesAndTouchesTheTrueCurve) {
  for (const double scale : {0.2, 1.0, 7.3}) {
    const auto loss = PrivacyLoss::Laplace(scale);
    // 0.37 does not divide anything: partial segments at both ends.
    for (const double spacing : {0.37 / scale, 0.01 / scale, 5 / scale}) {
      const auto grid = loss->OnGrid(spacing, 1e-20);
      ASSERT_TRUE(grid);
      EXPECT_NEAR(ComputeTotal(*grid), 1, 1e-12);
      for (int i = 0; i < 54; ++i) {
        const double epsilon = (-1.5 + 0.0501 * i) / scale;
        const double exact = epsilon > -1 / scale ? LaplaceDelta(scale, epsilon)
                                                  : -std::expm1(epsilon);
        EXPECT_GE(ComputeDelta(*grid, epsilon), exact - 1e-15);
      }
      for (const double j : {-3., -2., -1., 0., 1., 2., 3.}) {  // equality
        if (std::abs(j * spacing) > 1 / scale) continue;
        EXPECT_NEAR(ComputeDelta(*grid, j * spacing),
                    LaplaceDelta(scale, j * spacing), 1e-12);
      }
    }
  }
}

TEST(PrivacyLossTest, GaussianLatticeDominatesAndTouchesTheTrueCurve) {
  for (const double sigma : {0.5, 1.0, 50.0}) {
    const auto loss = PrivacyLoss::Gaussian(sigma);
    for (const double share : {0.02, 0.3, 1.5}) {
      const double spacing = share / sigma;
      const auto grid = loss->OnGrid(spacing, 1e-20);
      ASSERT_TRUE(grid);
      EXPECT_NEAR(ComputeTotal(*grid), 1, 1e-12);
      for (int i = -12; i <= 24; ++i) {
        const double j = i / 2.0;
        const double epsilon = j * spacing;
        const double exact = GaussianDeltaAt(1 / sigma, epsilon);
        EXPECT_GE(ComputeDelta(*grid, epsilon), exact - 4e-16);
        if (j == std::floor(j)) {
          EXPECT_NEAR(ComputeDelta(*grid, epsilon), exact, 1e-12);
        }
      }
    }
  }
}

TEST(PrivacyLossTest, DiscreteGaussianOwnLatticeIsExact) {
  // sigma = 1, by direct summation of 60 terms.
  const auto grid = PrivacyLoss::DiscreteGaussian(1)->OnOwnLattice(1e-30);
  ASSERT_TRUE(grid);
  double total = 0;
  for (int x = -30; x <= 30; ++x) total += std::exp(-x * x / 2.0);
  for (const double epsilon : {0.0, 0.3, 0.5, 1.7, 4.0}) {
    double exact = 0;
    for (int x = -30; x <= 30; ++x) {
      const double p = std::exp(-x * x / 2.0) / total;
      const double q = std::exp(-(x - 1) * (x - 1) / 2.0) / total;
      exact += std::max(0.0, p - std::exp(epsilon) * q);
    }
    EXPECT_NEAR(ComputeDelta(*grid, epsilon), exact, 1e-13);
    EXPECT_GE(ComputeDelta(*grid, epsilon), exact - 1e-15);
  }
}

// delta of integer noise with these weights at shift s, by summation.
template <typename Weight>
double ShiftDelta(const Weight& weight, int s, double epsilon) {
  double total = 0;
  for (int x = -400; x <= 400; ++x) total += weight(x);
  double delta = 0;
  for (int x = -400; x <= 400; ++x) {
    delta += std::max(0.0, weight(x) - std::exp(epsilon) * weight(x - s));
  }
  return delta / total;
}

TEST(PrivacyLossTest, DiscreteGaussianOfLargerSensitivityIsExact) {
  struct Case {
    double sigma;
    std::uint32_t s;
    double epsilon;
  };
  for (const Case& c : {Case{0.9, 3, 6}, Case{3, 10, 6}, Case{2, 4, 3},
                        Case{2, 4, 0}, Case{5, 2, 0.3}}) {
    const auto weight = [&c](int x) {
      return std::exp(-x * x / (2 * c.sigma * c.sigma));
    };
    const double exact = ShiftDelta(weight, static_cast<int>(c.s), c.epsilon);
    const auto loss = PrivacyLoss::DiscreteGaussian(c.sigma, c.s);
    ASSERT_TRUE(loss);
    const double own = ComputeDelta(*loss->OnOwnLattice(1e-30), c.epsilon);
    EXPECT_NEAR(own, exact, 1e-12);
    EXPECT_GE(own, exact - 1e-15);
    EXPECT_GE(ComputeDelta(*loss->OnGrid(0.05, 1e-30), c.epsilon),
              exact - 1e-15);
  }
}

TEST(PrivacyLossTest, DividingSigmaByTheSensitivityIsRefuted) {
  const auto scaled = PrivacyLoss::DiscreteGaussian(0.3)->OnOwnLattice(1e-30);
  const auto exact = PrivacyLoss::DiscreteGaussian(0.9, 3)->OnOwnLattice(1e-30);
  EXPECT_LT(ComputeDelta(*scaled, 6), 0.004);
  EXPECT_GT(ComputeDelta(*exact, 6), 0.26);
}

TEST(PrivacyLossTest, DividingADiscreteLaplaceScaleByTheSensitivityIsSafe) {
  const auto scaled = PrivacyLoss::DiscreteLaplace(0.7)->OnOwnLattice(1e-30);
  const auto exact = PrivacyLoss::DiscreteLaplace(2.1, 3)->OnOwnLattice(1e-30);
  for (const double epsilon : {0.0, 0.3, 0.5, 1.0, 1.4}) {
    EXPECT_GE(ComputeDelta(*scaled, epsilon), ComputeDelta(*exact, epsilon))
        << epsilon;
  }
}

// e^-800 underflows to 0. The mass must not vanish with it.
TEST(PrivacyLossTest, MassesBelowTheDoublesAreKept) {
  const auto narrow = PrivacyLoss::DiscreteGaussian(0.05);
  for (const auto& grid :
       {narrow->OnOwnLattice(1e-300), narrow->OnGrid(7, 1e-300)}) {
    ASSERT_TRUE(grid);
    EXPECT_GT(grid->truncated, 0);
    EXPECT_GT(ComputeDelta(*grid, 660), 0);
  }
  const auto wide = PrivacyLoss::Laplace(1e-4)->OnGrid(1, 1e-300);
  ASSERT_TRUE(wide);
  EXPECT_EQ(wide->first, -10001);
  for (std::size_t i = 1; i < 100; ++i) EXPECT_GT(wide->mass[i], 0);
}

TEST(PrivacyLossTest, DiscreteLaplaceOfLargerSensitivityIsExact) {
  const double rate = 1 / 2.5;
  const int s = 3;
  const auto grid = PrivacyLoss::DiscreteLaplace(2.5, 3)->OnOwnLattice(1e-30);
  ASSERT_TRUE(grid);
  const double norm = std::tanh(rate / 2);
  for (const double epsilon : {0.0, 0.2, 0.39, 0.9, 1.1}) {
    double exact = 0;
    for (int x = -200; x <= 200; ++x) {
      exact +=
          std::max(0.0, norm * (std::exp(-rate * std::abs(x)) -
                                std::exp(epsilon - rate * std::abs(x - s))));
    }
    EXPECT_NEAR(ComputeDelta(*grid, epsilon), exact, 1e-12);
  }
}

TEST(PrivacyLossTest, RandomPairsAreDominatedInBothDirections) {
  std::mt19937_64 rng(7);
  for (int trial = 0; trial < 50; ++trial) {
    const std::vector<double> p = RandomDistribution(rng, 2 + rng() % 6);
    const std::vector<double> q = RandomDistribution(rng, p.size());
    const auto loss = PrivacyLoss::FromPair(p, q);
    ASSERT_TRUE(loss);
    const auto forward = loss->OnGrid(0.21, 1e-20);
    const auto backward = loss->Reversed().OnGrid(0.21, 1e-20);
    for (int i = 0; i < 70; ++i) {
      const double epsilon = -3 + 0.13 * i;
      EXPECT_GE(ComputeDelta(*forward, epsilon),
                PairDelta(p, q, epsilon) - 1e-15);
      EXPECT_GE(ComputeDelta(*backward, epsilon),
                PairDelta(q, p, epsilon) - 1e-15);
    }
  }
}

// A broken variant: all mass between two lattice points goes to the lower one.
TEST(PrivacyLossTest, RoundingLossesDownIsRefuted) {
  const std::vector<double> p = {0.5, 0.3, 0.2};
  const std::vector<double> q = {0.3, 0.2, 0.5};
  auto builder = GridBuilder::Create(0.21, -2, 2);
  ASSERT_TRUE(builder);
  for (std::size_t i = 0; i < p.size(); ++i) {
    const double loss = std::log(p[i] / q[i]);
    builder->AddPoint(static_cast<std::int64_t>(std::floor(loss / 0.21)), p[i]);
  }
  EXPECT_LT(ComputeDelta(std::move(*builder).Build(), 0.3),
            PairDelta(p, q, 0.3) * 0.99);
}

TEST(PrivacyLossTest, MassWithoutACounterpartIsAtInfinity) {
  const auto loss = PrivacyLoss::FromPair(std::vector<double>{0.25, 0.75},
                                          std::vector<double>{0.0, 1.0});
  ASSERT_TRUE(loss);
  EXPECT_FALSE(loss->symmetric());
  EXPECT_EQ(loss->OnGrid(0.1, 1e-9)->infinity, 0.25 + 0x1p-54);
  EXPECT_EQ(loss->Reversed().OnGrid(0.1, 1e-9)->infinity, 0);
}

TEST(PrivacyLossTest, RefusesBadParameters) {
  EXPECT_FALSE(PrivacyLoss::Laplace(0));
  EXPECT_FALSE(PrivacyLoss::Laplace(std::nan("")));
  EXPECT_FALSE(PrivacyLoss::Gaussian(-1));
  EXPECT_FALSE(PrivacyLoss::Gaussian(HUGE_VAL));
  EXPECT_FALSE(PrivacyLoss::DiscreteLaplace(1, 0));
  EXPECT_FALSE(PrivacyLoss::DiscreteGaussian(1, 0));
  EXPECT_FALSE(PrivacyLoss::DiscreteGaussian(1, 2'000'000));
  EXPECT_FALSE(PrivacyLoss::RandomizedResponse(0));
  EXPECT_FALSE(PrivacyLoss::ApproximateDp(1, 1));
  EXPECT_FALSE(PrivacyLoss::FromPair(std::vector<double>{0.5, 0.4},
                                     std::vector<double>{0.5, 0.5}));
  EXPECT_FALSE(PrivacyLoss::FromPair(std::vector<double>{1.5, -0.5},
                                     std::vector<double>{0.5, 0.5}));
  EXPECT_FALSE(PrivacyLoss::Laplace(1)->OnGrid(0, 1e-9));
  EXPECT_FALSE(PrivacyLoss::Laplace(1)->OnGrid(1e-12, 1e-9));
  EXPECT_FALSE(PrivacyLoss::Gaussian(1)->OnOwnLattice(1e-9));
}

}  // namespace
}  // namespace sotto
