#include "sotto/accounting/gaussian_analytic.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace sotto {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

// 60-digit arithmetic gives delta(0) = erf(1 / (2 sqrt 2)) for mu = 1.
TEST(GaussianDeltaTest, AtEpsilonZeroIsTheTotalVariationDistance) {
  const double exact = 0.38292492254802620727;
  const auto delta = GaussianDelta({.sigma = 1, .compositions = 1}, 0);
  ASSERT_TRUE(delta);
  EXPECT_GE(*delta, exact);
  EXPECT_LE(*delta, std::nextafter(std::nextafter(exact, 1), 1));
}

TEST(GaussianDeltaTest, SurvivesCancellationAndTails) {
  const auto tiny_mu = GaussianDelta({.sigma = 1e10, .compositions = 1}, 0);
  ASSERT_TRUE(tiny_mu);
  EXPECT_NEAR(*tiny_mu / 3.98942280401432677940e-11, 1, 1e-15);
  const auto tail = GaussianDelta({.sigma = 1, .compositions = 1}, 60);
  ASSERT_TRUE(tail);
  EXPECT_EQ(*tail, std::numeric_limits<double>::denorm_min());
}

// epsilon/mu - mu/2 is 29.46, but 40 and more in doubles. The far-tail shortcut
// must not apply.
TEST(GaussianDeltaTest, DoesNotMistakeCancellationForAFarTail) {
  const auto delta = GaussianDelta(
      {.sigma = 1.0148785207191055e-09, .compositions = 6530975481172378},
      3.1704428977550096e+33);
  ASSERT_FALSE(delta);
  EXPECT_EQ(delta.error().code, ErrorCode::kNotConverged);
}

TEST(GaussianEpsilonTest, ReproducesTheReferenceTable) {
  struct Case {
    double sigma;
    std::uint64_t compositions;
    double delta;
    double epsilon;
  };
  for (const Case& c :
       {Case{1, 1, 1e-6, 4.886554}, Case{1, 1, 1e-3, 3.138671},
        Case{5, 10, 1e-6, 2.921601}, Case{5, 10, 1e-3, 1.793947},
        Case{20, 100, 1e-6, 2.254085}, Case{20, 100, 1e-3, 1.352277},
        Case{50, 1000, 1e-6, 2.921601}}) {
    const auto epsilon = GaussianEpsilon(
        {.sigma = c.sigma, .compositions = c.compositions}, c.delta);
    ASSERT_TRUE(epsilon);
    EXPECT_NEAR(*epsilon, c.epsilon, 1e-6);
  }
}

TEST(GaussianEpsilonTest, IsTheLeastSafeDouble) {
  for (const double delta : {1e-300, 1e-30, 1e-6, 0.1, 0.37}) {
    const GaussianComposition mechanism{.sigma = 1, .compositions = 1};
    const auto epsilon = GaussianEpsilon(mechanism, delta);
    ASSERT_TRUE(epsilon);
    EXPECT_LE(*GaussianDelta(mechanism, *epsilon), delta);
    EXPECT_GT(*GaussianDelta(mechanism, std::nextafter(*epsilon, 0)), delta);
  }
}

TEST(GaussianEpsilonTest, IsZeroWhereDeltaCoversTheTotalVariation) {
  EXPECT_EQ(*GaussianEpsilon({.sigma = 1, .compositions = 1}, 0.999999), 0);
  EXPECT_GT(*GaussianEpsilon({.sigma = 0.01, .compositions = 1}, 0.999999),
            4000);
}

TEST(GaussianSigmaTest, IsTheLeastSafeDouble) {
  for (const std::uint64_t n : {1ULL, 1000ULL, 1000000ULL}) {
    const auto sigma = GaussianSigma(1, 1e-6, n);
    ASSERT_TRUE(sigma);
    EXPECT_LE(*GaussianDelta({*sigma, n}, 1), 1e-6);
    EXPECT_GT(*GaussianDelta({std::nextafter(*sigma, 0), n}, 1), 1e-6);
  }
}

TEST(GaussianAnalyticTest, RefusesWhatItCannotAnswer) {
  EXPECT_FALSE(GaussianDelta({.sigma = 0, .compositions = 1}, 1));
  EXPECT_FALSE(GaussianDelta({.sigma = std::nan(""), .compositions = 1}, 1));
  EXPECT_FALSE(GaussianDelta({.sigma = 1, .compositions = 0}, 1));
  EXPECT_FALSE(GaussianDelta({.sigma = 1, .compositions = 1}, kInf));
  EXPECT_FALSE(GaussianDelta({.sigma = 1, .compositions = 1}, -1));
  EXPECT_FALSE(GaussianEpsilon({.sigma = 1, .compositions = 1}, 0));
  EXPECT_FALSE(GaussianEpsilon({.sigma = 1, .compositions = 1}, 1));
  EXPECT_FALSE(GaussianEpsilon({.sigma = 1, .compositions = 1}, std::nan("")));
  const auto beyond = GaussianEpsilon({.sigma = 1e-9, .compositions = 1}, 1e-9);
  ASSERT_FALSE(beyond);
  EXPECT_EQ(beyond.error().code, ErrorCode::kNotConverged);
}

}  // namespace
}  // namespace sotto
