#include "sotto/models/pop/pop_noise.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sotto/accounting/pop_accountant.h"
#include "sotto/accounting/rounding.h"
#include "sotto/mechanisms/thresholds/challenge_between_thresholds_calibration.h"
#include "sotto/mechanisms/thresholds/sparse_vector_limits.h"

namespace sotto {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// Grid steps in log2: reports, gap and Stopper.
constexpr double kReportsStep = 1;
constexpr double kGapStep = 1;
constexpr double kStopperStep = 0.5;
// Saving of the exact accountant over the moments accountant. Used for
// estimates only.
constexpr double kExactSaves = 1.07;
// Above it the moments' noise stands: the lattice grows with the reports.
constexpr std::int64_t kMaxExactReports = 4000;
// And so does its width with the noise scale: of both together at most this.
constexpr double kMaxExactWork = 1e7;

struct Cell {
  int low = 0;
  double part = 0;
};
Cell FindCell(double value, double step) {
  const double at = std::log2(value) / step;
  const double low = std::floor(at);
  return {static_cast<int>(low), at - low};
}

}  // namespace

// To within 1 %, by the moments: a few deltas around the last answer, which is
// most often near.
double PopNoise::LogAt(int reports, int gap, int stopper) {
  const auto [place, fresh] =
      known_.try_emplace({reports, gap, stopper}, kInfinity);
  if (!fresh) return place->second;
  // An infinite gap is one that no noise crosses.
  const double scales = band_ ? std::exp2(gap * kGapStep) : 64;
  PopProcess process{.targets = std::llround(std::exp2(reports * kReportsStep)),
                     .stopper = std::exp2(stopper * kStopperStep),
                     .rounds_per_user = hidden_bits_};
  const auto meets = [&](double log_scale) {
    process.rate = std::exp(-log_scale);
    process.gap =
        std::max<std::int64_t>(1, std::llround(scales / process.rate));
    const auto cost = PopDelta(process, each_.epsilon);
    return cost && cost->delta <= each_.delta;
  };
  constexpr double kStep = 0.7;
  constexpr double kMost = 18;  // a noise scale of 6e7
  double high = last_;
  while (!meets(high) && high < kMost) high += kStep;
  if (high >= kMost) return place->second;
  double low = high - kStep;
  while (low > -3 && meets(low)) {
    high = low;
    low -= kStep;
  }
  while (high - low > 0.01) {
    const double middle = 0.5 * (low + high);
    (meets(middle) ? high : low) = middle;
  }
  last_ = high;
  place->second = high - std::log(kExactSaves);
  return place->second;
}

double PopNoise::About(double reports, double gap_in_scales, double stopper) {
  const Cell r = FindCell(std::max(reports, 1.0), kReportsStep);
  const Cell g = band_ ? FindCell(gap_in_scales, kGapStep) : Cell{};
  const Cell s = FindCell(stopper, kStopperStep);
  double log_scale = 0;
  for (int corner = 0; corner < 8; ++corner) {
    const int dr = corner & 1;
    const int dg = corner >> 1 & 1;
    const int ds = corner >> 2;
    const double weight = (dr != 0 ? r.part : 1 - r.part) *
                          (dg != 0 ? g.part : 1 - g.part) *
                          (ds != 0 ? s.part : 1 - s.part);
    if (weight == 0) continue;
    log_scale += weight * LogAt(r.low + dr, g.low + dg, s.low + ds);
  }
  return std::exp(log_scale);
}

Result<double> PopNoise::Largest(std::int64_t reports, double gap_in_scales,
                                 std::int64_t gap, double stopper) const {
  const double delta = DownAdd(each_.delta, -SamplerSlack(each_.epsilon));
  if (!(delta > 0)) {
    return InvalidArgument("delta must be above what the samplers cost, " +
                           TextUp(SamplerSlack(each_.epsilon)));
  }
  const auto process = [&](double rate) {
    std::int64_t width = gap;
    if (!band_) width = ChallengeTarget::kAboveThreshold;
    if (width == 0) {
      width = std::max<std::int64_t>(1, std::llround(gap_in_scales / rate));
    }
    return PopProcess{.rate = rate,
                      .gap = width,
                      .targets = reports,
                      .stopper = stopper,
                      .rounds_per_user = hidden_bits_};
  };
  const auto meets = [&](double rate) {
    const auto moments = PopDelta(process(rate), each_.epsilon);
    if (moments && moments->delta <= delta) return true;
    if (!band_ || reports > kMaxExactReports ||
        static_cast<double>(reports) > kMaxExactWork * rate) {
      return false;
    }
    const auto exact = ExactPopDelta(process(rate), each_.epsilon);
    return exact && exact->delta <= delta;
  };
  // The moments find the place, the exact accountant the last percents. The
  // rate returned is one that was checked, so nothing rests on monotonicity.
  SOTTO_TRY_ASSIGN(const auto start,
                   PopLeastNoise({.epsilon = each_.epsilon,
                                  .delta = delta,
                                  .targets = reports,
                                  .gap_in_scales = band_ ? gap_in_scales : 64,
                                  .stopper = stopper,
                                  .rounds_per_user = hidden_bits_}));
  double low = start.rate;
  for (int i = 0; i < 60 && !meets(low); ++i) low *= 0.9;
  if (!meets(low)) {
    return NotConverged("no noise scale meets the target");
  }
  double high = low * 1.2;
  while (high > low * 1.001) {
    const double middle = std::sqrt(low * high);
    (meets(middle) ? low : high) = middle;
  }
  return low;
}

}  // namespace sotto
