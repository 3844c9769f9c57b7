#include "sotto/accounting/composition.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "sotto/accounting/group_privacy.h"
#include "sotto/accounting/rounding.h"

namespace sotto {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// Covers sqrt, log, expm1 and the products between them; see renyi.md,
// "Constants".
constexpr double kLibm = 16 * std::numeric_limits<double>::epsilon();

// A cost as it enters a sum. An invalid cost becomes +infinity.
double Cost(double x) { return x >= 0 ? x : kInfinity; }
double AsDelta(double x) { return x >= 0 && x <= 1 ? x : 1.0; }

RenyiCurve FreeCurve() {
  return RenyiCurve([](double) { return 0.0; });
}

// The curve of all parts together: their moments, folded from 0.
template <typename Join>
RenyiCurve Fold(std::span<const RenyiCurve> parts, Join join) {
  double max_order = kInfinity;
  for (const RenyiCurve& part : parts) {
    max_order = std::min(max_order, part.max_order());
  }
  return RenyiCurve(
      [join, all = std::vector(parts.begin(), parts.end())](double order) {
        double total = 0;
        for (const RenyiCurve& part : all) {
          total = join(total, part.LogMomentAt(order));
        }
        return total;
      },
      max_order);
}

}  // namespace

PureDp Compose(std::span<const PureDp> parts) {
  PureDp total;
  for (const PureDp& part : parts) {
    total.epsilon = LeastUpAdd(total.epsilon, Cost(part.epsilon));
  }
  return total;
}

ApproximateDp Compose(std::span<const ApproximateDp> parts) {
  ApproximateDp total;
  for (const ApproximateDp& part : parts) {
    total.epsilon = LeastUpAdd(total.epsilon, Cost(part.epsilon));
    total.delta = AsDelta(LeastUpAdd(total.delta, AsDelta(part.delta)));
  }
  return total;
}

Zcdp Compose(std::span<const Zcdp> parts) {
  Zcdp total;
  for (const Zcdp& part : parts) {
    total.rho = LeastUpAdd(total.rho, Cost(part.rho));
  }
  return total;
}

RenyiCurve Compose(std::span<const RenyiCurve> parts) {
  return Fold(parts, LeastUpAdd);
}

ApproximateDp MaxLoss(std::span<const ApproximateDp> parts) {
  ApproximateDp worst;
  for (const ApproximateDp& part : parts) {
    worst.epsilon = std::max(worst.epsilon, Cost(part.epsilon));
    worst.delta = std::max(worst.delta, AsDelta(part.delta));
  }
  return worst;
}

RenyiCurve MaxLoss(std::span<const RenyiCurve> parts) {
  return Fold(parts, [](double a, double b) { return std::max(a, b); });
}

// composition.md, step 5: moving within a part costs at least as much as moving
// between two.
ApproximateDp DisjointByValueUnderReplace(
    std::span<const ApproximateDp> parts) {
  ApproximateDp worst;
  for (const ApproximateDp& part : parts) {
    const ApproximateDp replaced = ReplaceFromAddRemove(
        ApproximateDp{Cost(part.epsilon), AsDelta(part.delta)});
    worst.epsilon = std::max(worst.epsilon, replaced.epsilon);
    worst.delta = std::max(worst.delta, replaced.delta);
  }
  return worst;
}

Result<ApproximateDp> AdvancedComposition(const ApproximateDp& each,
                                          std::uint64_t count, double slack) {
  if (!(each.epsilon >= 0) || std::isinf(each.epsilon)) {
    return InvalidArgument("epsilon must be finite and not negative");
  }
  if (!(each.delta >= 0 && each.delta < 1)) {
    return InvalidArgument("delta must lie in [0, 1)");
  }
  if (!(slack > 0 && slack < 1)) {
    return InvalidArgument("the slack must lie strictly between 0 and 1");
  }
  const double m = StepUp(static_cast<double>(count));
  const double deviation =
      InflateUp(std::sqrt(2 * m * -std::log(slack)) * each.epsilon, kLibm);
  const double drift =
      InflateUp(m * each.epsilon * std::expm1(each.epsilon), kLibm);
  const ApproximateDp total{
      UpAdd(deviation, drift),
      AsDelta(UpAdd(each.delta == 0 ? 0 : UpMul(m, each.delta), slack))};
  if (!std::isfinite(total.epsilon)) {
    return NotConverged("the composed epsilon overflows");
  }
  return total;
}

RenyiCurve ToRenyi(const PureDp& guarantee) {
  return guarantee.epsilon == 0 ? FreeCurve() : PureCurve(guarantee.epsilon);
}

RenyiCurve ToRenyi(const Zcdp& guarantee) {
  return ConcentratedCurve(guarantee.rho);
}

ApproximateRenyi ToRenyi(const ApproximateDp& guarantee) {
  return {ToRenyi(PureDp{guarantee.epsilon}), AsDelta(guarantee.delta)};
}

Zcdp ToZcdp(const PureDp& guarantee) {
  const double epsilon = Cost(guarantee.epsilon);
  return {epsilon == 0 ? 0 : UpMul(epsilon, epsilon) / 2};
}

ApproximateRenyi Compose(std::span<const ApproximateRenyi> parts) {
  std::vector<RenyiCurve> curves;
  curves.reserve(parts.size());
  double failure = 0;
  for (const ApproximateRenyi& part : parts) {
    curves.push_back(part.curve);
    failure = AsDelta(LeastUpAdd(failure, AsDelta(part.failure)));
  }
  return {Compose(curves), failure};
}

double DeltaFromRenyi(const ApproximateRenyi& loss, double epsilon) {
  return std::min(1.0, LeastUpAdd(DeltaFromRenyi(loss.curve, epsilon),
                                  AsDelta(loss.failure)));
}

Result<double> EpsilonFromRenyi(const ApproximateRenyi& loss, double delta) {
  const double rest =
      loss.failure == 0 ? delta : DownAdd(delta, -AsDelta(loss.failure));
  if (!(rest > 0)) {
    return InvalidArgument("delta must exceed the probability of failure");
  }
  return EpsilonFromRenyi(loss.curve, rest);
}

}  // namespace sotto
