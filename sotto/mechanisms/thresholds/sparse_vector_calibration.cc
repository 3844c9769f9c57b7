#include "sotto/mechanisms/thresholds/sparse_vector_calibration.h"

#include <algorithm>
#include <cmath>

#include "sotto/accounting/monotone_search.h"
#include "sotto/accounting/renyi.h"
#include "sotto/accounting/rounding.h"
#include "sotto/accounting/stopped_process.h"
#include "sotto/accounting/stopped_process_exact.h"
#include "sotto/mechanisms/thresholds/sparse_vector_limits.h"

namespace sotto {
namespace {

constexpr double kMinRate = 0x1p-30;
constexpr double kMaxRate = 64;
constexpr double kTolerance = 1e-4;

StoppedProcess MakeProcess(double rate, const FreshNoiseTarget& target) {
  return {.rate = rate, .targets = target.reports, .gap = target.gap};
}

double MomentsDelta(double rate, const FreshNoiseTarget& target) {
  const auto curve = StoppedProcessCurve(MakeProcess(rate, target));
  return curve ? DeltaFromRenyi(*curve, target.epsilon) : 1;
}

// `delta` here and below is what exact samplers may cost.
Result<double> LargestByMoments(const FreshNoiseTarget& target, double delta) {
  double low = kMinRate;
  double high = kMaxRate;
  if (MomentsDelta(low, target) > delta) {
    return NotConverged("no noise scale up to 2^30 meets the target");
  }
  while (high > low * (1 + kTolerance)) {
    const double middle = std::sqrt(low * high);
    (MomentsDelta(middle, target) <= delta ? low : high) = middle;
  }
  return low;
}

// Where the lattice is too large, the moments' rate stands.
double RefineExactly(const FreshNoiseTarget& target, double delta,
                     double moments_rate) {
  const double low = std::log(moments_rate);
  const auto found = LargestMeeting(
      {.low = low,
       .high = std::log(kMaxRate),
       .goal = 0,
       .slope = 2 - 2 * std::log(delta)},
      [&](double log_rate) -> Result<double> {
        SOTTO_TRY_ASSIGN(
            const auto exact,
            ExactStoppedDelta(MakeProcess(std::exp(log_rate), target),
                              target.epsilon));
        return LogRatio(exact.delta, delta);
      });
  return found && *found > low ? std::exp(*found) : moments_rate;
}

}  // namespace

Result<double> SnapRate(double rate) {
  SOTTO_TRY_ASSIGN(const auto rational, RationalBelow(rate));
  return rational.ToDoubleDown();
}

Rational ExactRate(double rate) { return *RationalBelow(rate); }

Result<double> WithoutSamplers(const ApproximateDp& target) {
  const double slack = SamplerSlack(target.epsilon);
  const double delta = DownAdd(target.delta, -slack);
  if (delta > 0 && target.delta < 1) return delta;
  return InvalidArgument(
      "delta must be below 1 and above what the samplers cost, " +
      TextUp(slack));
}

Result<double> PromisedDelta(double delta, double target) {
  if (delta >= 1) {
    return NotConverged("no delta below 1 is proved for this noise");
  }
  if (target == 0) return delta;
  if (delta <= target) return target;
  return BudgetExhausted("this noise costs delta = " + TextUp(delta) +
                         ", more than the target");
}

Result<double> FreshNoiseDelta(double rate, const FreshNoiseTarget& target) {
  const StoppedProcess process = MakeProcess(rate, target);
  SOTTO_TRY(Validate(process));
  double delta = MomentsDelta(rate, target);
  const auto exact = ExactStoppedDelta(process, target.epsilon);
  if (exact) delta = std::min(delta, exact->delta);
  return std::min(1.0, UpAdd(delta, SamplerSlack(target.epsilon)));
}

Result<double> LargestRate(const FreshNoiseTarget& target) {
  if (Status status = CheckThresholdTest(target.epsilon, target.reports, 0);
      !status) {
    return status.error();
  }
  SOTTO_TRY_ASSIGN(const auto delta,
                   WithoutSamplers({target.epsilon, target.delta}));
  SOTTO_TRY_ASSIGN(const auto moments, LargestByMoments(target, delta));
  for (const double rate : {RefineExactly(target, delta, moments), moments}) {
    SOTTO_TRY_ASSIGN(const auto snapped, SnapRate(rate));
    const auto met = FreshNoiseDelta(snapped, target);
    if (met && *met <= target.delta) return snapped;
  }
  return NotConverged("no rate could be certified");
}

Result<FreshNoise> ChooseFreshNoise(double rate,
                                    const FreshNoiseTarget& target) {
  if (rate == 0) {
    SOTTO_TRY_ASSIGN(const auto largest, LargestRate(target));
    return FreshNoise{largest, target.delta};
  }
  if (Status status = CheckThresholdTest(target.epsilon, target.reports, 0);
      !status) {
    return status.error();
  }
  SOTTO_TRY_ASSIGN(const auto snapped, SnapRate(rate));
  SOTTO_TRY_ASSIGN(const auto delta, FreshNoiseDelta(snapped, target));
  SOTTO_TRY_ASSIGN(const auto promised, PromisedDelta(delta, target.delta));
  return FreshNoise{snapped, promised};
}

Status CheckThresholdTest(double epsilon, std::int64_t reports,
                          std::int64_t threshold) {
  if (!(epsilon > 0 && epsilon <= kMaxThresholdEpsilon)) {
    return InvalidArgument("epsilon must be in (0, 16]");
  }
  if (reports < 1 || reports > kMaxReports) {
    return InvalidArgument("reports must be in [1, 2^32]");
  }
  if (threshold < -kQueryLimit || threshold > kQueryLimit) {
    return InvalidArgument("thresholds must be in [-2^60, 2^60]");
  }
  return Ok();
}

double LaplaceDeviation(double rate) {
  return std::sqrt(2.0) * GeometricDeviation(rate);
}

double GeometricDeviation(double rate) {
  return std::exp(-rate / 2) / -std::expm1(-rate);
}

Result<Guarantee> ThresholdGuarantee(double epsilon, double delta,
                                     Relation relation) {
  return Guarantee::Create(
      {.notion = Notion::kDp,
       .relation = relation,
       .epsilon = epsilon,
       .delta = delta,
       .protects = "one record of the data behind the queries, which moves no "
                   "query by more than its stated sensitivity"});
}

}  // namespace sotto
