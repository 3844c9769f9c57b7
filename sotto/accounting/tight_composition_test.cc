#include "sotto/accounting/tight_composition.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "sotto/accounting/binomial_composition.h"
#include "sotto/accounting/gaussian_analytic.h"

namespace sotto {
namespace {

struct Pair {
  std::vector<double> p;
  std::vector<double> q;
};

// Every outcome of the product, one by one.
double EnumeratedDelta(const std::vector<Pair>& pairs, double epsilon) {
  std::vector<Pair> product = {{{1.0}, {1.0}}};
  Pair all = product.front();
  for (const Pair& pair : pairs) {
    Pair next;
    for (std::size_t i = 0; i < all.p.size(); ++i) {
      for (std::size_t j = 0; j < pair.p.size(); ++j) {
        next.p.push_back(all.p[i] * pair.p[j]);
        next.q.push_back(all.q[i] * pair.q[j]);
      }
    }
    all = next;
  }
  double forward = 0;
  double backward = 0;
  for (std::size_t i = 0; i < all.p.size(); ++i) {
    forward += std::max(0.0, all.p[i] - std::exp(epsilon) * all.q[i]);
    backward += std::max(0.0, all.q[i] - std::exp(epsilon) * all.p[i]);
  }
  return std::max(forward, backward);
}

Pair RandomPair(std::mt19937_64& rng) {
  Pair pair;
  double p_sum = 0;
  double q_sum = 0;
  for (std::size_t i = 0; i < 2 + rng() % 4; ++i) {
    pair.p.push_back(static_cast<double>(rng() % 97 + 1));
    pair.q.push_back(static_cast<double>(rng() % 97 + 1));
    p_sum += pair.p.back();
    q_sum += pair.q.back();
  }
  for (double& x : pair.p) x /= p_sum;
  for (double& x : pair.q) x /= q_sum;
  return pair;
}

TEST(TightDeltaTest, DominatesEnumeratedCompositionsAndIsTight) {
  std::mt19937_64 rng(11);
  for (int trial = 0; trial < 12; ++trial) {
    const Pair a = RandomPair(rng);
    const Pair b = RandomPair(rng);
    const std::vector<LossTerm> terms = {{*PrivacyLoss::FromPair(a.p, a.q), 2},
                                         {*PrivacyLoss::FromPair(b.p, b.q), 1}};
    for (const double epsilon : {0.0, 0.5, 1.5}) {
      const double exact = EnumeratedDelta({a, a, b}, epsilon);
      const auto delta = TightDelta(terms, epsilon);
      ASSERT_TRUE(delta);
      EXPECT_GE(*delta, exact * (1 - 1e-13)) << trial << " " << epsilon;
      if (exact > 1e-3) {
        EXPECT_LE(*delta, exact * 1.02) << trial << " " << epsilon;
      }
    }
  }
}

TEST(TightEpsilonTest, GaussianIsSafeAndWithinOneInTenThousand) {
  struct Case {
    double sigma;
    std::uint64_t count;
    double delta;
  };
  for (const Case& c : {Case{1, 1, 1e-6}, Case{1, 1, 1e-3}, Case{5, 10, 1e-6},
                        Case{50, 1000, 1e-6}, Case{20, 100, 1e-3},
                        Case{1, 1, 1e-200}, Case{2, 3, 0.5}}) {
    const std::vector<LossTerm> terms = {
        {*PrivacyLoss::Gaussian(c.sigma), c.count}};
    const double exact = *GaussianEpsilon({c.sigma, c.count}, c.delta);
    const auto epsilon = TightEpsilon(terms, c.delta);
    ASSERT_TRUE(epsilon);
    EXPECT_GE(*epsilon, exact);
    EXPECT_LE(*epsilon, exact * (1 + 1e-4));
  }
}

TEST(TightDeltaTest, GaussianTailsAreRightToAPerCent) {
  const std::vector<LossTerm> terms = {{*PrivacyLoss::Gaussian(10), 50}};
  for (const double epsilon : {0.0, 1.0, 4.0, 8.0, 16.0}) {
    const double exact = *GaussianDelta({10, 50}, epsilon);
    const auto delta = TightDelta(terms, epsilon);
    ASSERT_TRUE(delta);
    EXPECT_GE(*delta, exact) << epsilon;
    EXPECT_LE(*delta, exact * 1.01) << epsilon;
  }
}

// sigma = 0.05 at epsilon = 660: about e^-800, below all doubles, not zero.
TEST(TightDeltaTest, IsNeverZeroForMechanismsThatAreNotPure) {
  const std::vector<LossTerm> terms = {
      {*PrivacyLoss::DiscreteGaussian(.05), 1}};
  for (const double epsilon : {660.0, 1e4, 1e7}) {
    const auto delta = TightDelta(terms, epsilon);
    EXPECT_TRUE(!delta || *delta > 0) << epsilon;  // a refusal is correct, too
  }
}

TEST(TightDeltaTest, FindsTailsBetweenFarAtoms) {
  // Losses 39.0625 (1 - 2x) / 2: the least above 100 is at x = -3.
  const double d = 1 / (0.16 * 0.16);
  const std::vector<LossTerm> terms = {
      {*PrivacyLoss::DiscreteGaussian(.16), 1}};
  const auto delta = TightDelta(terms, 100);
  ASSERT_TRUE(delta);
  EXPECT_NEAR(std::log(*delta), -4.5 * d, 1e-3);
  // The atom at x = 0 is just below epsilon, the next far above.
  const std::vector<LossTerm> narrow = {
      {*PrivacyLoss::DiscreteGaussian(.0708), 1}};
  const auto next = TightDelta(narrow, 100);
  ASSERT_TRUE(next);
  EXPECT_NEAR(std::log(*next), -0.5 / (.0708 * .0708), 1e-3);
}

TEST(TightDeltaTest, IsZeroBeyondTheLargestLossHoweverLarge) {
  const std::vector<LossTerm> terms = {{*PrivacyLoss::Laplace(1e-6), 1}};
  const auto delta = TightDelta(terms, 1.1e6);
  ASSERT_TRUE(delta);
  EXPECT_EQ(*delta, 0);
}

TEST(TightDeltaTest, SingleLaplaceIsTheClosedForm) {
  for (const double scale : {0.5, 1.0, 10.0}) {
    const std::vector<LossTerm> terms = {{*PrivacyLoss::Laplace(scale), 1}};
    for (const double share : {0.0, 0.3, 0.9, 0.999}) {
      const double exact = -std::expm1((share - 1) / scale / 2);
      const auto delta = TightDelta(terms, share / scale);
      ASSERT_TRUE(delta);
      EXPECT_GE(*delta, exact * (1 - 1e-13));
      EXPECT_LE(*delta, exact * (1 + 1e-3));
    }
    EXPECT_EQ(*TightDelta(terms, 1.001 / scale), 0);
  }
}

TEST(TightDeltaTest, RandomizedResponseMatchesTheBinomialDownToTinyDeltas) {
  const std::vector<LossTerm> terms = {
      {*PrivacyLoss::RandomizedResponse(0.05), 2000}};
  for (const double epsilon : {1.0, 10.0, 20.0, 30.0, 60.0}) {
    const double exact = *BinomialDelta(0.05, 2000, epsilon);
    const auto delta = TightDelta(terms, epsilon);
    ASSERT_TRUE(delta);
    EXPECT_GE(*delta, exact * (1 - 2e-9)) << epsilon;
    EXPECT_LE(*delta, exact * (1 + 1e-5)) << epsilon;
  }
}

// The lattices of the two differ, so both are put on a common one.
TEST(TightEpsilonTest, MixedMechanismsLieBetweenTheirParts) {
  const std::vector<LossTerm> mixed = {{*PrivacyLoss::Laplace(20), 50},
                                       {*PrivacyLoss::DiscreteLaplace(20), 50}};
  const auto epsilon = TightEpsilon(mixed, 1e-6);
  ASSERT_TRUE(epsilon);
  EXPECT_GT(*epsilon, 2.193280);
  EXPECT_LT(*epsilon, 2.207533);
}

TEST(TightEpsilonTest, AGaussianBesideAnIdenticalOneIsOneGaussianTwice) {
  const PrivacyLoss gaussian = *PrivacyLoss::Gaussian(8);
  const std::vector<LossTerm> split = {{gaussian, 10}, {gaussian, 15}};
  EXPECT_NEAR(*TightEpsilon(split, 1e-8) / *GaussianEpsilon({8, 25}, 1e-8), 1,
              1e-4);
}

TEST(TightEpsilonTest, FailsWhereNoEpsilonExists) {
  const std::vector<LossTerm> terms = {
      {*PrivacyLoss::ApproximateDp(0.1, 1e-4), 10}};
  EXPECT_FALSE(TightEpsilon(terms, 1e-4));
  EXPECT_TRUE(TightEpsilon(terms, 2e-3));
}

TEST(TightCompositionTest, RefusesBadParameters) {
  const std::vector<LossTerm> terms = {{*PrivacyLoss::Laplace(1), 1}};
  const std::vector<LossTerm> none = {{*PrivacyLoss::Laplace(1), 0}};
  EXPECT_FALSE(TightDelta({}, 1));
  EXPECT_FALSE(TightDelta(none, 1));
  EXPECT_FALSE(TightDelta(terms, -1));
  EXPECT_FALSE(TightDelta(terms, HUGE_VAL));
  EXPECT_FALSE(TightDelta(terms, std::nan("")));
  EXPECT_FALSE(TightEpsilon(terms, 0));
  EXPECT_FALSE(TightEpsilon(terms, 1));
  EXPECT_FALSE(TightEpsilon(terms, std::nan("")));
}

}  // namespace
}  // namespace sotto
