#include "sotto/models/tide/tide_noise.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "sotto/models/tide/tide_calibration.h"
#include "sotto/testing/seeded_rng.h"

namespace sotto {
namespace {

std::vector<double> Coefficients(const TideFilter& filter, int steps) {
  std::vector<double> kept(filter.buffers.size(), 1);
  std::vector<double> c = {1};
  for (int j = 1; j < steps; ++j) {
    double sum = 0;
    for (std::size_t i = 0; i < kept.size(); ++i) {
      sum += std::ldexp(filter.buffers[i].weight, -32) * kept[i];
      kept[i] *= 1 - std::ldexp(filter.buffers[i].loss, -32);
    }
    c.push_back(sum);
  }
  return c;
}

TEST(TideFilterTest, NormIsThatOfTheCoefficients) {
  for (const std::uint64_t memory : {2, 40, 142, 4096}) {
    const TideFilter filter = TideFilter::ForMemory(memory);
    double squares = 0;
    for (const double c : Coefficients(filter, static_cast<int>(memory) * 60)) {
      squares += c * c;
    }
    EXPECT_GE(filter.Norm(), std::sqrt(squares));
    EXPECT_LE(filter.Norm(), std::sqrt(squares) * (1 + 1e-9));
  }
}

TEST(TideFilterTest, IsCloseToTheSquareRoot) {
  const auto c = Coefficients(TideFilter::ForMemory(142), 50);
  double exact = 1;
  for (std::size_t j = 1; j < c.size(); ++j) {
    exact *= (1 - 1.0 / 142) * (static_cast<double>(j) - 0.5) /
             static_cast<double>(j);
    EXPECT_NEAR(c[j], exact, 0.25 * exact);
  }
}

// Puts out a given release, whatever goes in, and remembers what went in.
class Forced final : public TideNoiseSource {
 public:
  void Add(std::span<std::int64_t> values, Rng&) override {
    for (std::int64_t& value : values) {
      in.push_back(value);
      value = release;
    }
  }
  std::int64_t release = 0;
  std::vector<std::int64_t> in;
};

TEST(TideNoiseTest, OneGradientMovesWhatIsNoisedByTheFilterUntilForgotten) {
  const TideFilter filter = TideFilter::ForMemory(20);
  const auto c = Coefficients(filter, 200);
  TideNoise p(filter, 1);
  TideNoise q(filter, 1);
  Forced in_p;
  Forced in_q;
  testing::SeededRng rng(1);
  constexpr std::size_t kChanged = 17;
  constexpr std::int64_t kChange = 100'000;
  for (std::size_t k = 0; k < 200; ++k) {
    in_p.release = in_q.release = static_cast<std::int64_t>(rng.Next() >> 40);
    std::vector<std::int64_t> g = {static_cast<std::int64_t>(k)};
    p.Release(g, in_p, rng);
    g = {static_cast<std::int64_t>(k) + (k == kChanged ? kChange : 0)};
    q.Release(g, in_q, rng);
    const auto moved = static_cast<double>(in_q.in[k] - in_p.in[k]);
    if (k < kChanged || k >= 2 * filter.epoch) {
      EXPECT_EQ(moved, 0) << k;
    } else {
      EXPECT_NEAR(moved, c[k - kChanged] * kChange, filter.RoundingUnits());
    }
  }
}

// The difference of what noise would be added to next.
std::int64_t NextGap(TideNoise p, TideNoise q) {
  testing::SeededRng unused(0);
  Forced in_p;
  Forced in_q;
  std::vector<std::int64_t> g = {0};
  p.Release(g, in_p, unused);
  g = {0};
  q.Release(g, in_q, unused);
  return in_q.in[0] - in_p.in[0];
}

// An adversary who picks the releases so that floors fall on two sides of an
// integer. Two batches differ, by 1; the squares of all gaps.
double SquaresOfChosenGaps(const TideFilter& filter) {
  TideNoise p(filter, 1);
  TideNoise q(filter, 1);
  testing::SeededRng rng(5);
  double squares = 0;
  for (std::uint64_t k = 0; k < 4 * filter.epoch; ++k) {
    const std::int64_t differs = k % (2 * filter.epoch) == 0 ? 1 : 0;
    squares += std::pow(NextGap(p, q) + differs, 2);
    std::optional<std::pair<TideNoise, TideNoise>> best;
    for (int tries = 0; tries < 4000; ++tries) {
      Forced same;
      same.release = static_cast<std::int64_t>(rng.Next() >> 48);
      std::pair<TideNoise, TideNoise> next = {p, q};
      std::vector<std::int64_t> g = {0};
      next.first.Release(g, same, rng);
      g = {differs};
      next.second.Release(g, same, rng);
      const bool moves = NextGap(next.first, next.second) != 0;
      if (moves || !best) best = std::move(next);
      if (moves) break;
    }
    p = best->first;
    q = best->second;
  }
  return squares;
}

TEST(TideNoiseTest, RoundingIsPaidForInEveryStepThatAUserTouches) {
  const TideFilter filter = TideFilter::ForMemory(4);
  const double found = SquaresOfChosenGaps(filter);
  // All coordinates alike, and gradients no longer than rounding makes them.
  const TidePrivacy privacy = {.coordinates = 1024};
  const double moved = std::sqrt(1024 * found);
  EXPECT_LE(moved, TideStepSensitivity(privacy, filter, 0));
  // The broken variant pays for it once.
  TideFilter none = filter;
  none.epoch = 0;
  const double once = TideStepSensitivity(privacy, none, 0) +
                      filter.RoundingUnits() * std::sqrt(1024);
  EXPECT_GT(moved, once);
}

TEST(TideNoiseTest, WithoutNoiseTheReleaseIsTheGradient) {
  class Silent final : public TideNoiseSource {
    void Add(std::span<std::int64_t>, Rng&) override {}
  } silent;
  TideNoise noise(TideFilter::ForMemory(9), 300);
  testing::SeededRng rng(2);
  for (int k = 0; k < 70; ++k) {
    std::vector<std::int64_t> g(300, k);
    noise.Release(g, silent, rng);
    EXPECT_EQ(g, std::vector<std::int64_t>(300, k));
  }
}

TEST(TideNoiseTest, NoiseInSumsGrowsSlowly) {
  const TideFilter filter = TideFilter::ForMemory(142);
  TideGaussian source(*FixedWorkGaussian::Create(*Rational::Create(10'000, 1)),
                      kTideStepPart, 1);
  TideNoise noise(filter, 2000);
  testing::SeededRng rng(3);
  std::vector<double> sums(2000, 0);
  for (int k = 0; k < 140; ++k) {
    std::vector<std::int64_t> g(2000, 0);
    noise.Release(g, source, rng);
    for (std::size_t j = 0; j < g.size(); ++j) {
      sums[j] += static_cast<double>(g[j]);
    }
  }
  double squares = 0;
  for (const double s : sums) squares += s * s;
  // Independent noise would have 11.8; six deviations of 2,000 draws are 10 %.
  EXPECT_NEAR(std::sqrt(squares / 2000) / 100, 1.8, 0.3);
}

// The noise as it is drawn, not a part of it, and other noise for each number.
TEST(TideNoiseTest, AGaussianSourceAddsWhatItsSamplerReturns) {
  const auto sampler = FixedWorkGaussian::Create(*Rational::Create(1 << 20, 1));
  ASSERT_TRUE(sampler);
  TideGaussian source(*sampler, "step", 1);
  testing::SeededRng code(3);
  testing::SeededRng own(3);
  std::vector<std::int64_t> values(256, 17);
  std::vector<std::int64_t> noise(256);
  for (int release = 0; release < 4; ++release) {
    std::ranges::fill(values, 17);
    source.Add(values, code);
    sampler->Fill(own, noise);
    for (std::size_t i = 0; i < values.size(); ++i) {
      EXPECT_EQ(values[i] - 17, noise[i]);
    }
  }
}

TEST(TideNoiseTest, SavedNoiseGoesOn) {
  TideGaussian source(*FixedWorkGaussian::Create(*Rational::Create(400, 1)),
                      kTideStepPart, 1);
  TideNoise whole(TideFilter::ForMemory(5), 3);
  testing::SeededRng rng(4);
  testing::SeededRng same(4);
  TideNoise part(TideFilter::ForMemory(5), 3);
  for (int k = 0; k < 60; ++k) {
    std::vector<std::int64_t> a(3, k);
    std::vector<std::int64_t> b(3, k);
    whole.Release(a, source, rng);
    part.Release(b, source, same);
    ASSERT_EQ(a, b);
    ByteWriter writer;
    part.Save(writer);
    TideNoise loaded(TideFilter::ForMemory(5), 3);
    ByteReader reader(writer.bytes());
    ASSERT_TRUE(loaded.Load(reader) && reader.Finish());
    part = loaded;
  }
}

TidePrivacy Adult() {
  return {.epsilon = 1,
          .delta = 1e-6,
          .coordinates = 325,
          .max_entries = 44,
          .signed_share = 3.0 / 14};
}

TEST(TideCalibrationTest, NoiseCoversTheSensitivity) {
  const TidePrivacy privacy = Adult();
  const auto schedule = ChooseTideSchedule(privacy, LabelType::Kind::kTwo, {});
  ASSERT_TRUE(schedule);
  EXPECT_EQ(schedule->batch, 112U);
  EXPECT_EQ(schedule->start_rows, 411U);
  const TideFilter filter = TideFilter::ForMemory(schedule->memory);
  const auto calibration = CalibrateTide(privacy, filter);
  ASSERT_TRUE(calibration);
  EXPECT_NEAR(calibration->sigma, 4.2247, 1e-3);
  EXPECT_LE(Total(calibration->spend).delta, 1e-6);
  const double step =
      TideStepSensitivity(privacy, filter, calibration->step_bits);
  EXPECT_GE(calibration->step_variance.ToDoubleDown(),
            std::pow(calibration->sigma * step, 2) + 1.0 / 12);
  // Rounding is a small part.
  const double row = std::sqrt(1 + kTideBatchCount * kTideBatchCount);
  EXPECT_LE(step, 1.016 * filter.Norm() * row *
                      std::ldexp(1.0, calibration->step_bits));
  // The count of labels is in it.
  EXPECT_GE(step,
            filter.Norm() * row * std::ldexp(1.0, calibration->step_bits));
  EXPECT_NEAR(TideStartReach(privacy), std::sqrt(2.5 * (1 + 3.0 / 14)), 1e-9);
}

TEST(TideCalibrationTest, RoundsOfAUserMultiplyTheNoise) {
  TidePrivacy privacy = Adult();
  const TideFilter filter = TideFilter::ForMemory(100);
  const double one = TideStepSensitivity(privacy, filter, 20);
  privacy.rounds_per_user = 4;
  EXPECT_NEAR(TideStepSensitivity(privacy, filter, 20) / one, 4, 0.05);
  privacy.relation = Relation::kAddRemove;
  EXPECT_NEAR(TideStepSensitivity(privacy, filter, 20) / one, 2, 0.05);
  const double c2 = 0.25;
  const double b2 = kTideBias * kTideBias;
  const double k2 = kTideStartCount * kTideStartCount;
  const double h2 = kTideSpreadWeight * kTideSpreadWeight;
  EXPECT_NEAR(TideStartReach(privacy), std::sqrt(1 + c2 + b2 * c2 + k2), 1e-9);
  privacy.number = true;
  EXPECT_NEAR(TideStartReach(privacy), std::sqrt(1 + c2 + b2 * c2 + k2 + h2),
              1e-9);
  EXPECT_NEAR(TideLevelSensitivity(privacy, 10), 4 * 512, 1e-6);
  privacy.relation = Relation::kReplace;
  EXPECT_NEAR(TideLevelSensitivity(privacy, 10), 4 * 1024, 1e-6);
}

TEST(TideCalibrationTest, RefusesParametersOutOfRange) {
  const TideFilter filter = TideFilter::ForMemory(100);
  const auto refused = [&](auto&& change) {
    TidePrivacy privacy = Adult();
    change(privacy);
    return !ChooseTideSchedule(privacy, LabelType::Kind::kTwo, {}) &&
           !CalibrateTide(privacy, filter);
  };
  EXPECT_TRUE(refused([](TidePrivacy& p) { p.epsilon = 0; }));
  EXPECT_TRUE(refused([](TidePrivacy& p) { p.delta = 0; }));
  EXPECT_TRUE(refused([](TidePrivacy& p) { p.clip = 1; }));
  EXPECT_TRUE(refused([](TidePrivacy& p) { p.clip = 0x0.8p-20; }));
  EXPECT_FALSE(refused([](TidePrivacy& p) { p.clip = 0x1p-20; }));
  EXPECT_TRUE(refused([](TidePrivacy& p) { p.outputs = 2000; }));
  EXPECT_TRUE(refused([](TidePrivacy& p) { p.rounds_per_user = 0; }));
  EXPECT_TRUE(
      refused([](TidePrivacy& p) { p.relation = Relation::kChangeByOne; }));
}

}  // namespace
}  // namespace sotto
