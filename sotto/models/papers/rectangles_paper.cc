#include "sotto/models/papers/rectangles_paper.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "sotto/mechanisms/thresholds/sparse_vector_calibration.h"

namespace sotto {
namespace {

constexpr std::size_t kPhases = 6;
constexpr std::uint64_t kMostRounds = 1'000'000'000;
constexpr double kFailure = 0.05;  // beta
constexpr double kSlicing = 1.65;  // of RSC: epsilon' times ln(1/delta)

struct PaperPhase {
  double delta = 0;     // delta_p
  double length = 1e6;  // t_p
  double size = 0;      // m_p
  double reports = 0;   // k_p
  double margin = 0;    // Delta_p
  double scale = 0;     // of the noise
};

double Halved(double value, std::size_t p) {
  return value / std::exp2(static_cast<double>(p + 2));
}

// The conditions of the utility proof for one phase, given its length: k and
// Delta depend on each other and settle.
void SolvePhase(const BoundaryTarget& target, std::size_t p,
                PaperPhase& phase) {
  const double d = target.sides / 2.0;
  const double failure = Halved(kFailure, p);
  const double slice =
      target.epsilon / (kSlicing * std::log(1 / phase.delta) + 4);
  const double each = phase.delta / (4 * d);
  const double union_log = std::log(8 * d * phase.length / failure);
  const double stop = 8 / slice * std::log(2 / each);
  double reports = 1e3;
  double margin = 0;
  for (int i = 0; i < 80; ++i) {
    const double most = reports + stop * std::log(phase.length / each);
    margin =
        std::max({4 / slice * std::sqrt(most * std::log(4 / each)) * union_log,
                  32 / slice * std::sqrt(reports * std::log(4 / each)),
                  stop * union_log});
    reports = std::max({8 * margin, 4 * std::log(4 / each),
                        stop * std::log(phase.length / each) / 3});
  }
  const double most = reports + stop * std::log(phase.length / each);
  phase.margin = margin;
  phase.size = std::max(4 * margin, std::log(4 * d / failure) / slice);
  phase.reports = std::max(reports, 2 * phase.size);
  phase.scale = 4 / slice * std::sqrt(most * std::log(4 / each));
}

// delta_p = (delta alpha beta gamma min(epsilon, 1) / d)^power 8^-p, so that
// lengths, which depend on it, need not be known first.
std::vector<PaperPhase> Settle(const BoundaryTarget& target, double power) {
  const double d = target.sides / 2.0;
  const double base = target.delta * target.error * kFailure *
                      target.honest_fraction * std::min(target.epsilon, 1.0) /
                      d;
  std::vector<PaperPhase> phases(kPhases);
  for (int i = 0; i < 40; ++i) {
    for (std::size_t p = 0; p < kPhases; ++p) {
      phases[p].delta =
          std::pow(base, power) * std::pow(8.0, -static_cast<double>(p + 1));
      SolvePhase(target, p, phases[p]);
    }
    for (std::size_t p = 0; p < kPhases; ++p) {
      const double strip = target.honest_fraction * Halved(target.error, p + 1);
      const double next =
          p + 1 < kPhases ? phases[p + 1].size : 1.3 * phases[p].size;
      phases[p].length =
          std::max(8 * d / strip * std::log(2 * d / Halved(kFailure, p)),
                   4 * d / strip * next);
    }
  }
  return phases;
}

std::optional<BoundaryPhase> Whole(const PaperPhase& phase, double stopper) {
  const auto rate = SnapRate(1 / phase.scale);
  if (!rate) return std::nullopt;
  const auto whole = [](double x) {
    return static_cast<std::int64_t>(std::ceil(std::min(x, 0x1p60)));
  };
  const SideNoise noise{.rate = *rate,
                        .low = whole(phase.margin),
                        .high = whole(2 * phase.margin) + 1,
                        .size = whole(phase.size),
                        .limit = whole(phase.reports),
                        .stopper = stopper};
  if (!Validate(noise)) return std::nullopt;
  const auto length = static_cast<std::uint64_t>(
      std::min(phase.length, static_cast<double>(kMostRounds)));
  return BoundaryPhase{length, noise, noise};
}

}  // namespace

Result<BoundaryPhases> PaperPhases(const BoundaryTarget& target) {
  const Error none{ErrorCode::kNotConverged,
                   "the paper's constants settle nowhere for this target, or "
                   "at sets of more than 2^40"};
  const auto stopper = SnapRate(0.03 * target.epsilon);
  if (!stopper || !(target.delta > 0)) return none;
  for (double power = 1; power < 20; power += 0.25) {
    const std::vector<PaperPhase> settled = Settle(target, power);
    double spent = 0;
    for (const PaperPhase& phase : settled) spent += phase.length * phase.delta;
    if (!(spent <= target.delta / 2)) continue;
    const auto first = Whole(settled.front(), *stopper);
    if (!first) return none;
    SOTTO_TRY_ASSIGN(auto schedule,
                     BoundarySchedule(target.delta, {first->length}));
    BoundaryPhases all{target, {*first}, std::move(schedule)};
    SOTTO_TRY(CheckBoundaryPhases(all));
    return all;
  }
  return none;
}

double PaperRows(const BoundaryPhases& phases) {
  const BoundaryTarget& target = phases.target;
  const double d = target.sides / 2.0;
  const double strip = Halved(target.error, 0);
  return std::max(
      8 * d / strip * std::log(2 * d / Halved(kFailure, 0)),
      4 * d / strip * static_cast<double>(phases.phases.front().initial.size));
}

}  // namespace sotto
