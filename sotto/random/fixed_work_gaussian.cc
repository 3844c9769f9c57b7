#include "sotto/random/fixed_work_gaussian.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <limits>
#include <utility>

#include "sotto/base/int128.h"
#include "sotto/random/internal/real.h"
#include "sotto/random/internal/vector_clones.h"
#include "sotto/random/noise_observer.h"

namespace sotto {
namespace {

using internal::Real;

// The variance of every level but the last: 7.25^2. With steps of at most 4 the
// smoothing parameter of step 2 is then at least 1.758.
constexpr std::uint64_t kLevelNumerator = 841;
constexpr std::uint64_t kLevelDenominator = 16;
constexpr double kLevelVariance = 841.0 / 16;
// Tables end this many standard deviations out (step 4).
constexpr double kCutoff = 11;
constexpr std::uint64_t kTopBit = std::uint64_t{1} << 63;

std::int64_t AsKey(std::uint64_t word) {
  return static_cast<std::int64_t>(word ^ kTopBit);
}

// The thresholds of |X|, zero counted half: Pr[|X| <= j] for j < last.
ThresholdTable MagnitudeTable(const Real& variance, double sigma) {
  const auto last = static_cast<std::uint64_t>(std::ceil(kCutoff * sigma)) + 1;
  const Real twice = variance * Real(2);
  Real sum = Real(1) / Real(2);
  std::vector<Real> cumulative = {sum};
  for (std::uint64_t j = 1; j <= last; ++j) {
    sum = sum + ExpOfMinus(Real(j) * Real(j) / twice);
    cumulative.push_back(sum);
  }
  std::vector<Uint128> thresholds;
  for (std::uint64_t j = 0; j < last; ++j) {
    thresholds.push_back((cumulative[j] / sum).Floor128());
  }
  return ThresholdTable(std::move(thresholds));
}

// How many keys lie below the word (low half) and how many equal it (high
// half). No branch and no address depends on the word.
SOTTO_VECTOR_CLONES
std::uint64_t CountKeys(const std::int64_t* keys, std::size_t count,
                        std::int64_t word) {
  std::int64_t below = 0;
  std::int64_t equal = 0;
  for (std::size_t i = 0; i < count; ++i) {
    below += word > keys[i] ? 1 : 0;
    equal += word == keys[i] ? 1 : 0;
  }
  return static_cast<std::uint64_t>(below) | static_cast<std::uint64_t>(equal)
                                                 << 32;
}

// magnitude, or -magnitude if the bit is set.
std::int64_t WithSign(std::int64_t magnitude, std::uint64_t bit) {
  const auto mask = -static_cast<std::int64_t>(bit & 1);
  return (magnitude ^ mask) - mask;
}

}  // namespace

Result<FixedWorkGaussian> FixedWorkGaussian::Create(const Rational& variance) {
  double size = variance.ToDoubleDown();
  if (!(size >= 1.0 / 16 && size <= 0x1p61)) {
    return InvalidArgument("a Gaussian variance must be in [1/16, 2^61], not " +
                           variance.ToString());
  }
  FixedWorkGaussian gaussian;
  const Real level(*Rational::Create(kLevelNumerator, kLevelDenominator));
  Real rest(variance);
  std::int64_t step = 1;
  for (const std::int64_t radix : {4, 2}) {
    const auto square = static_cast<double>(radix * radix);
    // The rest must not be narrower than a level (step 3); the margin covers
    // the rounding of `size`.
    while ((size - kLevelVariance) / square >= kLevelVariance * (1 + 1e-9)) {
      gaussian.AddLevel(MagnitudeTable(level, std::sqrt(kLevelVariance)), step);
      rest = (rest - level) / Real(static_cast<std::uint64_t>(radix * radix));
      size = (size - kLevelVariance) / square;
      step *= radix;
    }
  }
  gaussian.AddLevel(MagnitudeTable(rest, std::sqrt(size)), step);
  return gaussian;
}

void FixedWorkGaussian::AddLevel(ThresholdTable magnitude, std::int64_t step) {
  const std::size_t first = keys_.size();
  for (const Uint128 t : magnitude.thresholds()) {
    keys_.push_back(AsKey(High64(t)));
  }
  while (keys_.size() % kKeyLanes != 0) {
    keys_.push_back(std::numeric_limits<std::int64_t>::max());
  }
  levels_.push_back({std::move(magnitude), step, first, keys_.size() - first});
}

std::int64_t FixedWorkGaussian::Sample(Rng& rng) const {
  ReportDraws(rng, *this, 1);
  std::uint64_t signs = rng.Next();
  std::int64_t value = 0;
  for (const Level& level : levels_) {
    const std::uint64_t word = rng.Next();
    const std::uint64_t counted =
        CountKeys(keys_.data() + level.first_key, level.key_count, AsKey(word));
    auto magnitude = static_cast<std::int64_t>(counted & 0xffffffff);
    if (counted >> 32 != 0) [[unlikely]] {
      const std::uint64_t second = rng.Next();
      for (const Uint128 t : level.magnitude.thresholds()) {
        magnitude += High64(t) == word && second >= Low64(t) ? 1 : 0;
      }
    }
    value += level.step * WithSign(magnitude, signs);
    signs >>= 1;
  }
  return value;
}

void FixedWorkGaussian::Fill(Rng& rng, std::span<std::int64_t> values) const {
  ReportDraws(rng, *this, values.size());
  constexpr std::size_t kBatch = ThresholdTable::kBatch;
  while (!values.empty()) {
    const auto batch = values.first(std::min(values.size(), kBatch));
    std::array<std::uint64_t, kBatch> signs;
    std::array<std::int64_t, kBatch> magnitudes;
    rng.Fill(std::span(signs).first(batch.size()));
    std::ranges::fill(batch, 0);
    for (const Level& level : levels_) {
      std::fill_n(magnitudes.begin(), batch.size(), 0);
      level.magnitude.DrawBatch(rng, 0,
                                std::span(magnitudes).first(batch.size()));
      for (std::size_t i = 0; i < batch.size(); ++i) {
        batch[i] += level.step * WithSign(magnitudes[i], signs[i]);
        signs[i] >>= 1;
      }
    }
    values = values.subspan(batch.size());
  }
}

double FixedWorkGaussian::RoundedNormalDistance(const Rational& variance) {
  assert(variance.ToDoubleDown() >= 1);
  const double size = variance.ToDoubleDown() - 1.0 / 12;
  // 0.0139 / v^2 and 2^-105 are proved (step 7); 0.014 leaves room for the
  // rounding here.
  return 0.014 / (size * size) + 0x1p-100;
}

}  // namespace sotto
