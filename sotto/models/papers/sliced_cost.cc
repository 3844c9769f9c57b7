#include "sotto/models/papers/sliced_cost.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "sotto/accounting/renyi.h"
#include "sotto/accounting/rounding.h"
#include "sotto/accounting/stopped_process.h"
#include "sotto/mechanisms/thresholds/asked_between_thresholds.h"
#include "sotto/mechanisms/thresholds/sparse_vector_calibration.h"

namespace sotto {
namespace {

using Kind = AskedBetweenThresholds::StopperKind;

// Probability that a Stopper halts late: below every delta(i). Its tail falls
// so fast that a larger one would save few reports.
constexpr double kLate = 0x1p-110;
constexpr int kHalvings = 40;

// The log-moments of `times` runs of a process of valid rate. Counts of
// targets above the limit of StoppedProcess are repeated runs.
RenyiCurve Curve(double rate, std::int64_t gap, double times) {
  const StoppedProcess one{.rate = rate, .targets = 1, .gap = gap};
  return RenyiCurve(
      [one, times](double order) {
        return UpMul(times, LogTargetFactor(one, order));
      },
      StoppedProcessMaxOrder(one));
}

double Mediums(const SideNoise& copy) {
  return static_cast<double>(copy.limit + LateReports(copy));
}

RenyiCurve TestsCurve(const SideNoise& copy, double copies) {
  return Curve(copy.rate, copy.high - copy.low - 1, copies * Mediums(copy));
}

RenyiCurve MediumCurve(const SideNoise& copy, double times) {
  return Curve(copy.stopper, StoppedProcess::kAboveThreshold, times)
      .ComposedWith(TestsCurve(copy, times));
}

double WithLate(double delta, const SideNoise& copy, double copies) {
  return std::min(1.0, UpAdd(delta, UpMul(copies, LateFailure(copy))));
}

Status CheckCopies(const BoundaryPhase& phase) {
  if (!(phase.initial == phase.recycled)) {
    return InvalidArgument("a recycled copy is run as it was");
  }
  const SideNoise& copy = phase.initial;
  SOTTO_TRY(Validate(copy));
  for (const double rate : {copy.rate, copy.stopper}) {
    const auto snapped = SnapRate(rate);
    if (!snapped || *snapped != rate) {
      return InvalidArgument("the rates of a copy must be exact");
    }
  }
  return Ok();
}

}  // namespace

std::int64_t LateReports(const SideNoise& copy) {
  return LeastLate(Kind::kLaplace, copy.stopper, kLate);
}

double LateFailure(const SideNoise& copy) {
  return LateProbability(Kind::kLaplace, copy.stopper, LateReports(copy));
}

double SlicesDelta(const SideNoise& copy, std::uint32_t sides, double epsilon) {
  return WithLate(DeltaFromRenyi(TestsCurve(copy, sides), epsilon), copy,
                  sides);
}

double SlicedMediumDelta(const SideNoise& copy, std::uint32_t sides,
                         Relation relation, double epsilon) {
  const int times = relation == Relation::kReplace && sides > 1 ? 2 : 1;
  return WithLate(DeltaFromRenyi(MediumCurve(copy, times), epsilon), copy,
                  times);
}

double SlicedQueryDelta(const SideNoise& copy, const SideNoise& next,
                        std::uint32_t sides, Relation relation,
                        double epsilon) {
  const double medium = SlicedMediumDelta(copy, sides, relation, epsilon);
  if (relation == Relation::kAddRemove) {
    return std::max(medium, SlicesDelta(next, sides, epsilon));
  }
  const double both = DeltaFromRenyi(
      MediumCurve(copy, 1).ComposedWith(TestsCurve(next, sides)), epsilon);
  return std::max(medium, WithLate(WithLate(both, copy, 1), next, sides));
}

double LargestSlicedRate(const SlicedTarget& target) {
  const auto meets = [&](double rate) {
    const auto gap = static_cast<std::int64_t>(
        std::clamp(std::floor(target.band / rate), 1.0, 0x1p39));
    RenyiCurve curve = Curve(rate, gap, target.targets);
    if (target.stoppers > 0) {
      curve = Curve(target.stopper, StoppedProcess::kAboveThreshold,
                    target.stoppers)
                  .ComposedWith(curve);
    }
    return DeltaFromRenyi(curve, target.epsilon) <= target.delta;
  };
  double low = std::log(0x1p-30);
  double high = std::log(target.epsilon);
  if (!meets(std::exp(low) * (1 + 1e-9))) return 0;
  for (int i = 0; i < kHalvings && high - low > 1e-5; ++i) {
    const double middle = (low + high) / 2;
    (meets(std::exp(middle)) ? low : high) = middle;
  }
  return std::exp(low);
}

Status CheckSlicedPhases(const BoundaryPhases& all) {
  const BoundaryTarget& target = all.target;
  for (const BoundaryPhase& phase : all.phases) SOTTO_TRY(CheckCopies(phase));
  const std::vector<double> deltas =
      BoundaryDeltas(target, all.schedule, BoundaryLengths(all.phases));
  if (deltas.size() != all.phases.size() + 1) {
    return NotConverged("the samplers cost too much");
  }
  const double training =
      target.training_epsilon > 0 ? target.training_epsilon : target.epsilon;
  bool kept =
      SlicesDelta(all.phases[0].initial, target.sides, training) <= deltas[0];
  for (std::size_t p = 0; kept && p < all.phases.size(); ++p) {
    const SideNoise& copy = all.phases[p].recycled;
    const double paid =
        p + 1 < all.phases.size()
            ? SlicedQueryDelta(copy, all.phases[p + 1].initial, target.sides,
                               target.relation, target.epsilon)
            : SlicedMediumDelta(copy, target.sides, target.relation,
                                target.epsilon);
    kept = paid <= deltas[p + 1];
  }
  if (kept) return Ok();
  return BudgetExhausted("the phases cost more than their delta");
}

double SliceSizeRate(const BoundaryPhases& phases, std::size_t phase) {
  std::uint64_t before = 0;
  for (std::size_t p = 0; p < phase; ++p) before += phases.phases[p].length;
  const double delta = phases.schedule.At(before);
  const double rate = phases.target.epsilon / -std::log(delta);
  return *SnapRate(std::clamp(rate, 0x1p-14, 16.0));
}

}  // namespace sotto
