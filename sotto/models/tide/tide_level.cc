#include "sotto/models/tide/tide_level.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "sotto/base/portable_math.h"

namespace sotto {
namespace {

constexpr std::int64_t kMaxSum = std::int64_t{1} << 62;
// Levels stay this far from the ends of the range.
constexpr double kLeastPlace = 0.03;
// The spread of scores from which on steps are full, and how fast they shorten
// below it (tide.md, Constants).
constexpr double kFullSpread = 0.7;
constexpr double kLeastPace = 0.15;
// The deviation of scores, by what was learned, from which on steps are full.
constexpr double kFullSignal = 0.45;

double Score(double place) {
  const double inside = std::clamp(place, kLeastPlace, 1 - kLeastPlace);
  return PortableLog(inside / (1 - inside));
}

double Place(double score) { return 1 / (1 + PortableExp(-score)); }

}  // namespace

// Towards zero, as everywhere.
void TideLevel::Add(double place) {
  const double centred = std::clamp(place, 0.0, 1.0) - 0.5;
  sum_ += static_cast<std::int64_t>(std::ldexp(centred, bits_));
}

double TideLevel::Release(std::uint64_t rows, TideNoiseSource& source,
                          Rng& rng) {
  std::array<std::int64_t, 1> sum = {sum_};
  source.Add(sum, rng);
  sum_ = 0;
  const double mean = std::ldexp(static_cast<double>(sum[0]), -bits_) /
                      static_cast<double>(rows);
  return Score(0.5 + mean);
}

Status TideLevel::Load(ByteReader& reader) {
  sum_ = reader.Number<std::int64_t>();
  if (sum_ < -kMaxSum || sum_ > kMaxSum || reader.failed()) {
    return Corruption("the level of tide makes no sense");
  }
  return Ok();
}

double RefineTideLevel(const TideFirstNumbers& first) {
  return Score(Place(first.level) - first.mean_error);
}

double ComputeTidePace(const TideFirstNumbers& first) {
  const double gap = std::max(0.0, first.mean_gap);
  // A level that was off makes gaps wider than labels spread.
  const double spread = std::sqrt(
      std::max(gap * gap / 9, gap * gap - first.mean_error * first.mean_error));
  const double place = Place(RefineTideLevel(first));
  const double in_scores = spread / (place * (1 - place));
  const double share = in_scores / kFullSpread;
  return std::clamp(share * std::sqrt(share), kLeastPace, 1.0);
}

double RaiseTidePace(double pace, double signal) {
  const double allowed = std::min(1.0, std::sqrt(signal) / kFullSignal);
  return allowed > pace ? (pace + allowed) / 2 : pace;
}

}  // namespace sotto
