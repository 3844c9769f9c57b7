#include "sotto/accounting/stopped_process.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sotto/accounting/group_privacy.h"
#include "sotto/accounting/rounding.h"

namespace sotto {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kMinRate = 0x1p-30;
constexpr double kMaxRate = 64;
constexpr std::int64_t kMaxCount = std::int64_t{1} << 40;
constexpr std::int64_t kMaxGroup = std::int64_t{1} << 20;

// glibc states at most 1 ulp (2^-52) for exp, expm1, log1p in double; four
// times that is granted here (page, "Constants").
constexpr double kLibm = 0x1p-50;

double UpExpm1(double x) { return InflateUp(std::expm1(x), kLibm); }

// A lower bound of 1 - eta, where eta = exp(-rate * gap).
double DownPaidShare(const StoppedProcess& process) {
  if (process.gap == StoppedProcess::kAboveThreshold) return 1;
  const double exponent =
      DownMul(process.rate, static_cast<double>(process.gap));
  return -InflateUp(std::expm1(-exponent), kLibm);
}

}  // namespace

Status Validate(const StoppedProcess& process) {
  if (!(process.rate >= kMinRate && process.rate <= kMaxRate)) {
    return InvalidArgument(
        "the noise scale must be between 1/64 and 2^30 (rate 64 to 2^-30)");
  }
  if (process.targets < 1 || process.targets > kMaxCount) {
    return InvalidArgument("the number of targets must be in [1, 2^40]");
  }
  if (process.gap < 0 || process.gap > kMaxCount) {
    return InvalidArgument(
        "the gap must be 0 (AboveThreshold) or in [1, 2^40]");
  }
  return Ok();
}

// Steps 2 and 3: ln R = -log1p(-X). Every factor of X is rounded up and ln R
// increases with X.
double LogTargetFactor(const StoppedProcess& process, double order) {
  if (!(order > 1)) return kInfinity;
  const double low = UpExpm1(UpMul(UpAdd(order, -1), process.rate));
  const double high = UpExpm1(UpMul(order, process.rate));
  const double x = UpDiv(UpMul(low, high), DownPaidShare(process));
  if (!(x < 1)) return kInfinity;
  return InflateUp(-std::log1p(-x), kLibm);
}

// The root of (t - 1)(t e^rate - 1) = share (1 - eta), t = exp((order-1) rate).
double StoppedProcessMaxOrder(const StoppedProcess& process, double share) {
  const double growth = std::expm1(process.rate);
  const double paid = share * DownPaidShare(process);
  const double root =
      std::sqrt(growth * growth + 4 * (growth + 1) * paid) + growth;
  return 1 + std::log1p(2 * paid / root) / process.rate;
}

Result<RenyiCurve> StoppedProcessCurve(const StoppedProcess& process) {
  SOTTO_TRY(Validate(process));
  const auto targets = static_cast<double>(process.targets);
  return RenyiCurve(
      [process, targets](double order) {
        return UpMul(targets, LogTargetFactor(process, order));
      },
      StoppedProcessMaxOrder(process));
}

Result<double> StoppedProcessGroupDelta(const StoppedProcess& process,
                                        std::int64_t group, double epsilon) {
  if (group < 1 || group > kMaxGroup || !(epsilon > 0) ||
      !std::isfinite(epsilon)) {
    return InvalidArgument("group must be in [1, 2^20] and epsilon positive");
  }
  const auto size = static_cast<double>(group);
  StoppedProcess charged = process;
  const bool above = process.gap == StoppedProcess::kAboveThreshold;
  if (above) charged.rate = UpMul(process.rate, size);
  SOTTO_TRY_ASSIGN(const auto curve, StoppedProcessCurve(charged));
  if (above || group == 1) return DeltaFromRenyi(curve, epsilon);
  // Step 6. Rounding epsilon / group down raises delta: group * single is at
  // most epsilon.
  const double single = DownDiv(epsilon, size);
  const double factor = GroupFactor(single, static_cast<std::uint64_t>(group));
  return std::min(1.0, UpMul(factor, DeltaFromRenyi(curve, single)));
}

Status Validate(const StoppedProcessTarget& target) {
  if (!(target.epsilon > 0 && target.epsilon <= kMaxRate)) {
    return InvalidArgument("epsilon must be in (0, 64]");
  }
  if (!(target.delta > 0 && target.delta < 1)) {
    return InvalidArgument("delta must be in (0, 1)");
  }
  if (target.targets < 1 || target.targets > kMaxCount) {
    return InvalidArgument("the number of targets must be in [1, 2^40]");
  }
  // 1000 scales at the smallest rate are still fewer than 2^40 integers.
  if (!(target.gap_in_scales >= 0 && target.gap_in_scales <= 1000)) {
    return InvalidArgument("the gap must be in [0, 1000] noise scales");
  }
  return Ok();
}

StoppedProcess ProcessAtRate(const StoppedProcessTarget& target, double rate) {
  StoppedProcess process{.rate = rate, .targets = target.targets};
  if (target.gap_in_scales > 0) {
    process.gap =
        std::max<std::int64_t>(1, std::llround(target.gap_in_scales / rate));
  }
  return process;
}

Result<StoppedProcess> LeastNoise(const StoppedProcessTarget& target) {
  SOTTO_TRY(Validate(target));
  const auto meets = [&target](double rate) {
    const auto curve = StoppedProcessCurve(ProcessAtRate(target, rate));
    return curve.has_value() &&
           DeltaFromRenyi(*curve, target.epsilon) <= target.delta;
  };
  double low = kMinRate;
  if (!meets(low)) {
    return NotConverged("no noise scale up to 2^30 meets the target");
  }
  double high = kMaxRate;
  if (meets(high)) return ProcessAtRate(target, high);
  while (high > low * 1.0001) {
    const double middle = std::sqrt(low * high);
    (meets(middle) ? low : high) = middle;
  }
  return ProcessAtRate(target, low);
}

}  // namespace sotto
