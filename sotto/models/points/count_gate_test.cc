#include "sotto/models/points/count_gate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "sotto/testing/exact_number.h"
#include "sotto/testing/seeded_rng.h"
#include "sotto/testing/statistics.h"

namespace sotto {
namespace {

using Exact = ExactNumber;

// Pr[passes] at 0, 1, ..., size, from the integers that are drawn with.
std::vector<Exact> Passing(const MirrorDistribution& distribution) {
  const Exact scale(0x1p64);
  std::vector<Exact> passing = {Exact(0)};
  for (std::uint64_t k = 1; k <= distribution.last(); ++k) {
    const Exact unit = (Exact(High64(distribution.Units(k))) +
                        Exact(Low64(distribution.Units(k))) / scale) /
                       scale;
    passing.push_back(passing.back() + unit);
  }
  return passing;
}

// The exact delta of counts that differ by one, both directions.
Exact ExactDelta(const std::vector<Exact>& passing, const Exact& ratio) {
  Exact worst = 0;
  for (std::size_t k = 0; k + 1 < passing.size(); ++k) {
    const Exact& less = passing[k];
    const Exact& more = passing[k + 1];
    worst = std::max({worst, Exact(more - ratio * less),
                      Exact((1 - less) - ratio * (1 - more))});
  }
  return worst;
}

TEST(CountGateTest, ItsDeltaIsTheExactOneRoundedUp) {
  for (const double epsilon : {0.05, 0.1125, 0.75, 2.0}) {
    for (const double delta : {1e-2, 2.5e-7, 1e-10}) {
      const auto gate = CountGate::Create({.epsilon = epsilon, .delta = delta});
      ASSERT_TRUE(gate);
      const Exact exact =
          ExactDelta(Passing(gate->distribution()), Exact(ExpDown(epsilon)));
      EXPECT_GE(Exact(gate->guarantee().delta()), exact);
      EXPECT_LE(gate->guarantee().delta(), delta);
      // Almost all of delta is used.
      EXPECT_GE(exact, Exact(0.999 * delta));
    }
  }
}

TEST(CountGateTest, ZeroNeverPassesAndItsSizeAlwaysDoes) {
  const auto gate = CountGate::Create({.epsilon = 0.5, .delta = 1e-6});
  ASSERT_TRUE(gate);
  const auto passing = Passing(gate->distribution());
  EXPECT_EQ(passing.back(), Exact(1));
  testing::SeededRng rng(1);
  for (int i = 0; i < 1000; ++i) {
    EXPECT_FALSE(gate->Passes(0, rng));
    EXPECT_TRUE(gate->Passes(gate->size(), rng));
  }
}

// No gate rises faster, by induction over the counts: so none is smaller.
TEST(CountGateTest, NoSmallerGateIsPrivate) {
  for (const double epsilon : {0.1, 0.5, 1.5}) {
    const double delta = 1e-6;
    const auto gate = CountGate::Create({.epsilon = epsilon, .delta = delta});
    ASSERT_TRUE(gate);
    const double bound = std::exp(epsilon);
    double most = 0;
    for (std::uint64_t k = 1; k < gate->size(); ++k) {
      most = std::min(bound * most + delta, 1 - (1 - most - delta) / bound);
      EXPECT_LT(most, 1) << k;
    }
  }
}

TEST(CountGateTest, AGateThatRisesInOneStepMoreThanItMayIsFoundOut) {
  // As large as a private gate of delta 0.1, but steeper in the middle.
  const auto distribution = MirrorDistribution::Create(1, {1, 8, 1});
  EXPECT_GT(CountGate::ComputeDelta(*distribution, 1), 0.4);
  const auto flat = MirrorDistribution::Create(1, {1, 1, 1});
  EXPECT_NEAR(CountGate::ComputeDelta(*flat, 1), 1.0 / 3, 1e-12);
}

TEST(CountGateTest, RefusesWhatItCannotPromise) {
  EXPECT_FALSE(CountGate::Create({.epsilon = 0, .delta = 1e-6}));
  EXPECT_FALSE(CountGate::Create({.epsilon = NAN, .delta = 1e-6}));
  EXPECT_FALSE(CountGate::Create({.epsilon = 1, .delta = 0}));
  EXPECT_FALSE(CountGate::Create({.epsilon = 1, .delta = 0.5}));
}

// False alarm 1e-6.
TEST(CountGateStatisticalTest, PassesAsOftenAsItsLawSays) {
  const auto gate = CountGate::Create({.epsilon = 0.5, .delta = 1e-3});
  ASSERT_TRUE(gate);
  const std::uint64_t count = gate->size() / 2;
  double pass = 0;
  for (std::uint64_t k = 1; k <= count; ++k) {
    pass += static_cast<double>(gate->distribution().Probability(k));
  }
  testing::SeededRng rng(2);
  std::vector<std::uint64_t> seen(2);
  for (int i = 0; i < 100'000; ++i) ++seen[gate->Passes(count, rng) ? 1 : 0];
  EXPECT_GT(ChiSquaredPValue(seen, std::vector<double>{1 - pass, pass}), 1e-6);
}

}  // namespace
}  // namespace sotto
