#include "sotto/models/papers/sliced_phases.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "sotto/mechanisms/thresholds/asked_between_thresholds.h"
#include "sotto/mechanisms/thresholds/sparse_vector_calibration.h"
#include "sotto/models/papers/sliced_cost.h"

namespace sotto {
namespace {

constexpr double kSlicing = 1.65;  // of RSC: epsilon' times ln(1/delta)
constexpr double kLeastMargin = 6;
constexpr double kStray = 10;  // a recycled set: at most a twentieth stray
constexpr std::size_t kLeastPhases = 12;
constexpr std::size_t kPrintedPhases = 6;
constexpr std::uint64_t kMostRounds = std::uint64_t{1} << 42;
constexpr int kSettle = 60;
constexpr double kSpare = 0.999;

struct Solved {
  double delta = 0;     // delta_p, printed only
  double length = 1e6;  // t_p
  double margin = 0;    // Delta_p
  double size = 0;      // m_p
  double reports = 0;   // k_p
  double rate = 0;      // of the tests
  double stopper = 0;
};

// alpha_p, beta_p: halved with every phase, from p = 1 on.
double Halved(double value, std::size_t p) {
  return value / std::exp2(static_cast<double>(p));
}

// t_p and n: enough points of a strip, honest ones alone. `p` from 1.
double Length(const BoundaryTarget& target, double beta, std::size_t p,
              double next) {
  const double d = std::max(1.0, target.sides / 2.0);
  const double strip = target.honest_fraction * Halved(target.error, p + 1);
  return std::max(8 * d / strip * std::log(2 * d / Halved(beta, p)),
                  4 * d / strip * next);
}

void SetLengths(const BoundaryTarget& target, double beta,
                std::vector<Solved>& phases) {
  for (std::size_t p = 0; p < phases.size(); ++p) {
    const bool last = p + 1 == phases.size();
    const double next = last ? 1.1 * phases[p].size : phases[p + 1].size;
    phases[p].length = Length(target, beta, p + 1, next);
  }
}

std::uint64_t Rounds(double length) {
  return static_cast<std::uint64_t>(
      std::clamp(std::ceil(length), 1.0, static_cast<double>(kMostRounds)));
}

// 7/8 of delta(i): the rest is for the samplers. {training set, phase 1, ...}.
std::vector<double> Deltas(const BoundaryTarget& target,
                           const std::vector<Solved>& phases) {
  std::vector<std::uint64_t> lengths;
  for (const Solved& phase : phases) lengths.push_back(Rounds(phase.length));
  const auto schedule = BoundarySchedule(target.delta, lengths);
  std::vector<double> deltas;
  std::uint64_t end = 0;
  for (std::size_t p = 0; p <= phases.size(); ++p) {
    if (p > 0) end += lengths[p - 1];
    deltas.push_back(schedule ? 0.875 * schedule->At(end) : 0);
  }
  deltas[0] -= target.training_spent;
  return deltas;
}

double Allowed(const Solved& phase) {
  return phase.reports +
         static_cast<double>(LateReports({.stopper = phase.stopper}));
}

// Least noise for one phase, given reports and lengths (step 7): what its
// queries and those of the phase before, or the training set, may cost.
double LeastRate(const BoundaryTarget& target,
                 const std::vector<Solved>& phases,
                 const std::vector<double>& deltas, std::size_t p,
                 double margin) {
  const double sides = target.sides;
  const Solved& phase = phases[p];
  const auto rate = [&](double epsilon, double delta, double targets,
                        const Solved* stopper, int stoppers) {
    return LargestSlicedRate({.epsilon = epsilon,
                              .delta = delta,
                              .targets = targets,
                              .stopper = stopper ? stopper->stopper : 0,
                              .stoppers = stoppers,
                              .band = margin});
  };
  const bool replace = target.relation == Relation::kReplace;
  const bool last = p + 1 == phases.size();
  const double own = Allowed(phase);
  double targets = own;
  int stoppers = 1;
  if (replace && sides > 1) {
    targets = 2 * own;
    stoppers = 2;
  }
  double least = rate(target.epsilon, deltas[p + 1], targets, &phase, stoppers);
  if (replace && !last) {
    least =
        std::min(least, rate(target.epsilon, deltas[p + 1],
                             own + sides * Allowed(phases[p + 1]), &phase, 1));
  }
  if (p == 0) {
    const double epsilon =
        target.training_epsilon > 0 ? target.training_epsilon : target.epsilon;
    return std::min(least, rate(epsilon, deltas[0], sides * own, nullptr, 0));
  }
  const double before = sides * own + (replace ? Allowed(phases[p - 1]) : 0);
  return std::min(least, rate(target.epsilon, deltas[p], before, &phases[p - 1],
                              replace ? 1 : 0));
}

// Delta = l b, m = 4 Delta, k = 2 m: noise and reports depend on each other and
// settle, together with the lengths.
std::vector<Solved> SolveLeast(const BoundaryTarget& target,
                               const SlicedNumbers& numbers) {
  std::vector<Solved> phases(kLeastPhases, {.reports = 1e3});
  for (int i = 0; i < kSettle; ++i) {
    const std::vector<double> deltas = Deltas(target, phases);
    double moved = 0;
    for (std::size_t p = 0; p < phases.size(); ++p) {
      Solved& phase = phases[p];
      phase.stopper = *SnapRate(std::clamp(
          target.epsilon / (8 * -std::log(deltas[p + 1])), 0x1p-20, 16.0));
    }
    for (std::size_t p = 0; p < phases.size(); ++p) {
      Solved& phase = phases[p];
      const double margin =
          numbers.constant *
          std::max(kLeastMargin,
                   std::log(kStray * phase.length / phase.reports));
      phase.rate = LeastRate(target, phases, deltas, p, margin);
      if (!(phase.rate > 0)) return {};
      phase.margin = margin / phase.rate;
      phase.size = 4 * phase.margin;
      const double reports = 2 * phase.size;
      moved = std::max(moved, std::abs(reports / phase.reports - 1));
      phase.reports = reports;
    }
    SetLengths(target, numbers.failure, phases);
    if (moved < 1e-4) break;
  }
  // Pays with noise for the last step and for rounding up to integers.
  for (Solved& phase : phases) phase.rate *= kSpare;
  return phases;
}

// Conditions of the utility proof for one printed phase, given its length.
void SolvePrinted(const BoundaryTarget& target, const SlicedNumbers& numbers,
                  std::size_t p, Solved& phase) {
  const double d = std::max(1.0, target.sides / 2.0);
  const double failure = Halved(numbers.failure, p + 1);
  const double epsilon =
      numbers.formula_epsilon > 0 ? numbers.formula_epsilon : target.epsilon;
  const double slice = epsilon / (kSlicing * std::log(1 / phase.delta) + 4);
  const double each = phase.delta / (8 * d);
  const double union_log = std::log(8 * d * phase.length / failure);
  const double stop = 8 / slice * std::log(2 / each);
  double reports = 1e3;
  double scale = 0;
  for (int i = 0; i < 80; ++i) {
    const double most = reports + stop * std::log(phase.length / each);
    scale = 4 / slice * std::sqrt(most * std::log(4 / each));
    phase.margin =
        numbers.constant *
        std::max({scale * union_log,
                  32 / slice * std::sqrt(reports * std::log(4 / each)),
                  stop * union_log});
    phase.size = std::max(4 * phase.margin, std::log(4 * d / failure) / slice);
    reports = std::max({2 * phase.size, 4 * std::log(4 / each),
                        stop * std::log(phase.length / each) / 3});
  }
  phase.reports = reports;
  phase.rate = 1 / scale;
  phase.stopper = 1 / stop;
}

// delta_p = delta / (2^(p+1) t_p), which the lengths depend on: settles.
std::vector<Solved> SolvePrintedPhases(const BoundaryTarget& target,
                                       const SlicedNumbers& numbers) {
  const double delta =
      numbers.formula_delta > 0 ? numbers.formula_delta : target.delta;
  std::vector<Solved> phases(kPrintedPhases);
  for (int i = 0; i < kSettle; ++i) {
    for (std::size_t p = 0; p < phases.size(); ++p) {
      phases[p].delta = Halved(delta, p + 2) / phases[p].length;
      SolvePrinted(target, numbers, p, phases[p]);
      if (!std::isfinite(phases[p].size)) return {};
    }
    SetLengths(target, numbers.failure, phases);
  }
  return phases;
}

Result<SideNoise> MakeCopy(const Solved& phase) {
  const auto whole = [](double x) {
    return static_cast<std::int64_t>(std::ceil(std::min(x, 0x1p60)));
  };
  SOTTO_TRY_ASSIGN(const auto rate, SnapRate(phase.rate));
  SOTTO_TRY_ASSIGN(const auto stopper, SnapRate(phase.stopper));
  const std::int64_t margin = whole(phase.margin);
  const SideNoise copy{.rate = rate,
                       .low = margin - 1,
                       .high = 2 * margin + 1,
                       .size = std::max(whole(phase.size), 2 * margin + 1),
                       .limit = whole(phase.reports),
                       .stopper = stopper};
  SOTTO_TRY(Validate(copy));
  return copy;
}

// All phases, cut at `most` rounds.
Result<BoundaryPhases> CutAt(const BoundaryTarget& target,
                             const std::vector<Solved>& solved,
                             std::uint64_t most) {
  std::vector<BoundaryPhase> phases;
  for (const Solved& phase : solved) {
    if (most == 0) break;
    SOTTO_TRY_ASSIGN(const auto copy, MakeCopy(phase));
    const std::uint64_t length = std::min(Rounds(phase.length), most);
    phases.push_back({length, copy, copy});
    most -= length;
  }
  SOTTO_TRY_ASSIGN(auto schedule,
                   BoundarySchedule(target.delta, BoundaryLengths(phases)));
  return BoundaryPhases{target, std::move(phases), std::move(schedule)};
}

}  // namespace

Result<BoundaryPhases> ChooseSlicedPhases(const BoundaryTarget& target,
                                          const SlicedNumbers& numbers) {
  SOTTO_TRY(Validate(target));
  const Error nowhere = NotConverged(
      "the numbers of RectanglesPERP settle nowhere for this target, or at "
      "sets of more than 2^40");
  const std::vector<Solved> solved = numbers.printed
                                         ? SolvePrintedPhases(target, numbers)
                                         : SolveLeast(target, numbers);
  if (solved.empty()) return nowhere;
  Error why = nowhere;
  for (std::uint64_t most = kMostRounds; most >= 1024; most /= 4) {
    auto phases = CutAt(target, solved, most);
    if (!phases) return nowhere;
    const Status kept = CheckSlicedPhases(*phases);
    if (kept) return phases;
    why = kept.error();
    if (why.code != ErrorCode::kNotConverged) break;
  }
  return why;
}

double SlicedRowsRequired(const BoundaryPhases& phases,
                          const SlicedNumbers& numbers) {
  const auto size = static_cast<double>(phases.phases.front().initial.size);
  const BoundaryTarget& target = phases.target;
  const double d = std::max(1.0, target.sides / 2.0);
  if (!numbers.printed) return 4 * d / target.error * size;
  BoundaryTarget rows = target;
  rows.honest_fraction = 1;
  return Length(rows, numbers.failure, 0, size);
}

}  // namespace sotto
