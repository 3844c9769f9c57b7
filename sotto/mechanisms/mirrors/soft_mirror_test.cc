#include "sotto/mechanisms/mirrors/soft_mirror.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "sotto/mechanisms/mirrors/mirror_test_chain.h"
#include "sotto/mechanisms/mirrors/soft_mirror_ramp.h"
#include "sotto/testing/seeded_rng.h"

namespace sotto {
namespace {

SoftRamp Ramp(const std::vector<double>& tops) {
  SoftRamp ramp;
  for (const double top : tops) {
    ramp.push_back(static_cast<std::uint64_t>(top * 0x1p64));
  }
  return ramp;
}

// A bound from below on the forward delta: losses are rounded down to a grid,
// and E[(1 - e^(epsilon - loss))_+] grows with the loss.
double DeltaFromBelow(const SoftRamp& ramp, double epsilon, double width) {
  const auto cells = static_cast<std::ptrdiff_t>(4 * epsilon / width);
  std::vector<double> mass(static_cast<std::size_t>(2 * cells + 1));
  mass[static_cast<std::size_t>(cells)] =
      static_cast<double>(1 - static_cast<long double>(ramp[0]) * 0x1p-64L);
  for (std::size_t s = 0; s + 1 < ramp.size(); ++s) {
    const double q = static_cast<double>(ramp[s]) * 0x1p-64;
    const double p = static_cast<double>(ramp[s + 1]) * 0x1p-64;
    std::vector<double> next(mass.size());
    const auto up = static_cast<std::ptrdiff_t>(std::log(p / q) / width);
    const auto down = static_cast<std::ptrdiff_t>(
        std::floor(std::log((1 - p) / (1 - q)) / width));
    for (std::ptrdiff_t k = 0; k <= 2 * cells; ++k) {
      const double here = mass[static_cast<std::size_t>(k)];
      if (here < 1e-15) continue;
      const auto top = static_cast<std::size_t>(std::min(k + up, 2 * cells));
      next[top] += here * p;
      if (k + down >= 0)
        next[static_cast<std::size_t>(k + down)] += here * (1 - p);
    }
    mass = next;
  }
  double sum = static_cast<double>(ramp[0]) * 0x1p-64;
  for (std::ptrdiff_t k = 0; k <= 2 * cells; ++k) {
    const double loss = static_cast<double>(k - cells) * width;
    sum += mass[static_cast<std::size_t>(k)] *
           std::max(0.0, -std::expm1(epsilon - loss));
  }
  return sum;
}

TEST(SoftMirrorTest, TheGridAgreesWithTheExactGame) {
  const SoftRamp ramp = Ramp({0.1, 0.2, 0.4, 0.5, 0.7, 0.85, 0.95});
  for (const double epsilon : {1.5, 2.5}) {
    const auto deltas = ComputeDelta(ramp, epsilon, 20000);
    ASSERT_TRUE(deltas);
    ExactGame game(ChallengeDistribution(MakeChain<ExactNumber>(ramp)), 10);
    const ExactNumber bound(ExpDown(epsilon));
    const auto forward = game.Delta(bound, Direction::kPOverQ);
    const auto backward = game.Delta(bound, Direction::kQOverP);
    ASSERT_TRUE(forward && backward);
    EXPECT_TRUE(*forward <= ExactNumber(deltas->one_over_zero));
    EXPECT_TRUE(*backward <= ExactNumber(deltas->zero_over_one));
    EXPECT_NEAR(static_cast<double>(*forward), deltas->one_over_zero, 1e-4);
    EXPECT_NEAR(static_cast<double>(*backward), deltas->zero_over_one, 1e-4);
  }
}

TEST(SoftMirrorTest, ACoarserGridGivesALargerBound) {
  const auto ramp = FindSoftRamp(2, 1e-6);
  ASSERT_TRUE(ramp);
  const auto fine = ComputeDelta(*ramp, 2, 1000);
  const auto coarse = ComputeDelta(*ramp, 2, 100);
  ASSERT_TRUE(fine && coarse);
  EXPECT_LE(fine->one_over_zero, coarse->one_over_zero);
  EXPECT_LE(fine->zero_over_one, coarse->zero_over_one);
}

TEST(SoftMirrorTest, TheCertifiedDeltaIsTight) {
  const auto mirror = SoftMirror::Create({.epsilon = 2, .delta = 1e-6});
  ASSERT_TRUE(mirror);
  const double below = DeltaFromBelow(mirror->ramp(), 2, 2e-4);
  EXPECT_LE(below, mirror->guarantee().delta());
  EXPECT_GT(below, 0.7 * mirror->guarantee().delta());
}

TEST(SoftMirrorTest, ABrokenVariantWithStepsAFifthLongerIsRefuted) {
  // Drops every sixth coin: steps 1.2 times as long on average.
  const auto ramp = FindSoftRamp(2, 1e-6);
  ASSERT_TRUE(ramp);
  SoftRamp broken;
  for (std::size_t c = 0; c < ramp->size(); ++c) {
    if (c % 6 != 3) broken.push_back((*ramp)[c]);
  }
  EXPECT_GT(DeltaFromBelow(broken, 2, 2e-4), 1.5e-6);
}

TEST(SoftMirrorTest, RefusesARampThatDoesNotRise) {
  EXPECT_FALSE(ComputeDelta(Ramp({0.2, 0.2}), 1, 100));
  EXPECT_FALSE(ComputeDelta(Ramp({0.0, 0.2}), 1, 100));
  EXPECT_FALSE(ComputeDelta({}, 1, 100));
  EXPECT_FALSE(ComputeDelta(Ramp({0.1, 0.2}), 1, 1));
}

TEST(SoftMirrorTest, AnswersBottomFirstAndTopInTheEnd) {
  auto mirror = SoftMirror::Create({.epsilon = 2, .delta = 1e-6, .delay = 40});
  ASSERT_TRUE(mirror);
  testing::SeededRng rng(1);
  for (int i = 0; i < 40; ++i) EXPECT_FALSE(mirror->Next(true, rng));
  for (std::uint64_t i = 40; i < mirror->worst_mistakes(); ++i) {
    mirror->Next(true, rng);
    EXPECT_FALSE(mirror->Next(false, rng));
  }
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(mirror->Next(true, rng));
}

TEST(SoftMirrorTest, ASavedStateGoesOnWhereItStopped) {
  const SoftMirror::Params params{.epsilon = 2, .delta = 1e-6};
  auto mirror = SoftMirror::Create(params);
  ASSERT_TRUE(mirror);
  testing::SeededRng rng(2);
  for (int i = 0; i < 60; ++i) mirror->Next(true, rng);
  ByteWriter writer;
  mirror->Save(writer);
  ByteReader reader(writer.bytes());
  auto loaded = SoftMirror::Load(params, reader);
  ASSERT_TRUE(loaded);
  testing::SeededRng rng_a(3);
  testing::SeededRng rng_b(3);
  for (int i = 0; i < 300; ++i) {
    EXPECT_EQ(mirror->Next(true, rng_a), loaded->Next(true, rng_b));
  }
}

// Long ramps: release only.
TEST(SoftMirrorStatisticalTest, MakesAsFewMistakesAsTheTableSays) {
  const struct {
    double epsilon;
    double mistakes;
  } rows[] = {{0.25, 1300}, {0.5, 362}, {1, 118}, {2, 42}};
  for (const auto& row : rows) {
    const auto mirror =
        SoftMirror::Create({.epsilon = row.epsilon, .delta = 1e-6});
    ASSERT_TRUE(mirror);
    EXPECT_LE(mirror->expected_mistakes(), row.mistakes);
    EXPECT_LE(mirror->guarantee().delta(), 1e-6);
  }
}

}  // namespace
}  // namespace sotto
