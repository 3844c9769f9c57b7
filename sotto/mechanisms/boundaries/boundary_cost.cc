#include "sotto/mechanisms/boundaries/boundary_cost.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sotto/accounting/rounding.h"
#include "sotto/accounting/stopped_process.h"
#include "sotto/random/fixed_work_geometric.h"
#include "sotto/random/fixed_work_laplace.h"

namespace sotto {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kLibm = 0x1p-50;  // as in stopped_process.cc
constexpr std::int64_t kMost = std::int64_t{1} << 40;

StoppedProcess Band(const SideNoise& noise) {
  return {.rate = noise.rate,
          .targets = noise.limit + noise.rounds_per_check - 1,
          .gap = noise.high - noise.low - 1};
}

// ln E[R^rho] for Pr[rho >= x] = e^(-e_s x); infinite unless R < e^(e_s).
double LogAverage(double log_factor, double stopper) {
  const double left = UpAdd(log_factor, -stopper);
  if (!(left < 0)) return kInfinity;
  const double rest = -InflateUp(std::expm1(left), kLibm);
  if (!(rest > 0)) return kInfinity;
  const double stop = InflateUp(-std::expm1(-stopper), kLibm);
  return InflateUp(std::log(UpDiv(stop, rest)), kLibm);
}

RenyiCurve MediumCurve(const SideNoise& recycled) {
  return PureCurve(recycled.stopper).ComposedWith(CopyCurve(recycled));
}

}  // namespace

Status Validate(const SideNoise& noise) {
  if (noise.low < 0 || noise.high <= noise.low + 1 || noise.high > noise.size ||
      noise.size > kMost) {
    return InvalidArgument(
        "a boundary set needs 0 <= low, low + 1 < high <= size <= 2^40");
  }
  if (!(noise.stopper >= 0x1p-20 && noise.stopper <= 16)) {
    return InvalidArgument("a Stopper's rate must be in [2^-20, 16]");
  }
  // boundaries.md, step 3, needs it: tests come before the first check.
  if (noise.limit < 1) {
    return InvalidArgument("a Stopper's limit must be at least 1");
  }
  if (noise.rounds_per_check < 1 || noise.rounds_per_check > kMost) {
    return InvalidArgument("checks come every 1 to 2^40 rounds");
  }
  return Validate(Band(noise));
}

RenyiCurve CopyCurve(const SideNoise& noise) {
  const StoppedProcess band = Band(noise);
  const double stopper = noise.stopper;
  return RenyiCurve(
      [band, stopper](double order) {
        const double log_factor = LogTargetFactor(band, order);
        const double paid =
            UpMul(static_cast<double>(band.targets), log_factor);
        return UpAdd(paid, LogAverage(log_factor, stopper));
      },
      StoppedProcessMaxOrder(band, -std::expm1(-stopper)));
}

double TrainingDelta(const SideNoise& initial, std::uint32_t sides,
                     double epsilon) {
  return DeltaFromRenyi(CopyCurve(initial).Repeated(sides), epsilon);
}

double MediumDelta(const SideNoise& recycled, std::uint32_t sides,
                   Relation relation, double epsilon) {
  const RenyiCurve one = MediumCurve(recycled);
  const bool two = relation == Relation::kReplace && sides > 1;
  return DeltaFromRenyi(two ? one.Repeated(2) : one, epsilon);
}

double QueryDelta(const SideNoise& recycled, const SideNoise& next,
                  std::uint32_t sides, Relation relation, double epsilon) {
  const double medium = MediumDelta(recycled, sides, relation, epsilon);
  const RenyiCurve later = CopyCurve(next).Repeated(sides);
  if (relation == Relation::kAddRemove) {
    return std::max(medium, DeltaFromRenyi(later, epsilon));
  }
  return std::max(
      medium,
      DeltaFromRenyi(later.ComposedWith(MediumCurve(recycled)), epsilon));
}

double BoundarySlack(std::uint64_t rounds, std::uint32_t sides,
                     double epsilon) {
  static_assert(FixedWorkLaplace::TotalVariationLog2() >= 100 &&
                FixedWorkGeometric::TotalVariationLog2() >= 100);
  // Two draws a round and side, and one for each Stopper: at most one more.
  const double draws = UpMul(UpMul(3, static_cast<double>(sides)),
                             static_cast<double>(rounds) + 2);
  const double worlds = InflateUp(1 + std::exp(epsilon), kLibm);
  return std::ldexp(UpMul(draws, worlds), -100);
}

}  // namespace sotto
