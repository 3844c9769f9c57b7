#include "sotto/accounting/renyi.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sotto/accounting/rounding.h"

namespace sotto {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Covers the error of the exp, log, log1p, sinh and tanh of glibc (known to be
// below three units in the last place, each 2^-52) and of the few operations
// between them. renyi.md, "Constants".
constexpr double kLibm = 16 * std::numeric_limits<double>::epsilon();

// Orders tried: order - 1 from kLeastGap, up to kGreatestGap or to within
// e^-kCeilingNats of the ceiling.
constexpr double kLeastGap = 1e-9;
constexpr double kGreatestGap = 1e15;
constexpr double kCeilingNats = 23;
constexpr int kGridPoints = 128;
constexpr int kRefinements = 40;
constexpr double kGoldenShare = 0.381966011250105;

// A coordinate on the whole line for the orders of (1, max_order), dense at
// both ends: logarithmic without a ceiling, logistic with one.
class OrderScale {
 public:
  explicit OrderScale(double max_order) : span_(max_order - 1) {
    if (span_ > kGreatestGap) span_ = kInfinity;
    if (std::isinf(span_)) {
      low_ = std::log(kLeastGap);
      high_ = std::log(kGreatestGap);
    } else {
      low_ = std::min(std::log(kLeastGap / span_), -kCeilingNats);
      high_ = kCeilingNats;
    }
  }

  double low() const { return low_; }
  double high() const { return high_; }
  double OrderAt(double s) const {
    if (std::isinf(span_)) return 1 + std::exp(s);
    return 1 + span_ / (1 + std::exp(-s));
  }

 private:
  double span_;
  double low_ = 0;
  double high_ = 0;
};

// The least value of `objective` found over the orders: a grid, then a
// golden-section search between the neighbours of its best point. Every order
// gives a valid bound, so a search that misses the minimum is loose, not wrong.
template <typename Objective>
double LeastOverOrders(double max_order, const Objective& objective) {
  if (!(max_order > 1)) return kInfinity;
  const OrderScale scale(max_order);
  const auto value_at = [&](double s) {
    const double order = scale.OrderAt(s);
    return order > 1 && order < max_order ? objective(order) : kInfinity;
  };
  const double step = (scale.high() - scale.low()) / (kGridPoints - 1);
  double middle = scale.low();
  double best = kInfinity;
  for (int i = 0; i < kGridPoints; ++i) {
    const double s = scale.low() + i * step;
    const double value = value_at(s);
    if (value < best) {
      best = value;
      middle = s;
    }
  }
  double left = middle - step;
  double right = middle + step;
  for (int i = 0; i < kRefinements; ++i) {
    const bool go_right = right - middle > middle - left;
    const double probe = go_right ? middle + kGoldenShare * (right - middle)
                                  : middle - kGoldenShare * (middle - left);
    const double value = value_at(probe);
    if (value < best) {
      (go_right ? left : right) = middle;
      middle = probe;
      best = value;
    } else {
      (go_right ? right : left) = probe;
    }
  }
  return best;
}

// (a-1) ln(1 - 1/a) - ln a, rounded up. renyi.md, step 4.
double ConversionConstant(double order) {
  const double gap = order - 1;
  const double shrink = gap * std::log1p(1 / gap);  // -(a-1) ln(1 - 1/a)
  return UpAdd(InflateUp(-shrink, kLibm), InflateUp(-std::log(order), kLibm));
}

// -(order - 1) * epsilon, rounded up, for either sign of epsilon.
double NegatedPrice(double order, double epsilon) {
  return epsilon >= 0 ? -DownMul(DownAdd(order, -1), epsilon)
                      : UpMul(UpAdd(order, -1), -epsilon);
}

double LogDeltaAtOrder(double order, double log_moment, double epsilon) {
  return UpAdd(UpAdd(log_moment, ConversionConstant(order)),
               NegatedPrice(order, epsilon));
}

double DeltaFromLog(double log_delta) {
  if (!(log_delta < 0)) return 1;  // also NaN
  return std::min(1.0, InflateUp(std::exp(log_delta), kLibm));
}

bool IsProbability(double x) { return x > 0 && x < 1; }
bool IsPositiveAndFinite(double x) { return x > 0 && std::isfinite(x); }

// ln(p e^x + q e^-x), p = 1/(1 + e^-epsilon) = 1 - q, x = (order-1) * epsilon:
// both forms add terms of one sign, or subtract ln 2 at most from x > 1.
double RandomizedResponseLogMoment(double epsilon, double order) {
  if (!IsPositiveAndFinite(epsilon)) return kInfinity;
  const double x = UpMul(UpAdd(order, -1), epsilon);
  if (x <= 1) {
    const double half = std::sinh(x / 2);
    const double excess =
        std::tanh(epsilon / 2) * std::sinh(x) + 2 * half * half;
    return InflateUp(std::log1p(InflateUp(excess, kLibm)), kLibm);
  }
  const double likely = InflateUp(-std::log1p(std::exp(-epsilon)), kLibm);
  const double exponent = UpAdd(-2 * x, -epsilon);
  const double unlikely =
      InflateUp(std::log1p(InflateUp(std::exp(exponent), kLibm)), kLibm);
  return UpAdd(UpAdd(x, likely), unlikely);
}

// order * (order - 1) * rate, rounded up.
double QuadraticLogMoment(double rate, double order) {
  if (!(rate >= 0)) return kInfinity;
  return UpMul(UpMul(order, UpAdd(order, -1)), rate);
}

}  // namespace

RenyiCurve::RenyiCurve(LogMoment log_moment, double max_order)
    : log_moment_(std::move(log_moment)), max_order_(max_order) {}

double RenyiCurve::LogMomentAt(double order) const {
  if (!(order > 1 && order < max_order_)) return kInfinity;
  const double value = log_moment_(order);
  if (std::isnan(value)) return kInfinity;
  return std::max(value, 0.0);  // no log-moment of order above 1 is negative
}

RenyiCurve RenyiCurve::ComposedWith(const RenyiCurve& other) const {
  return RenyiCurve(
      [first = *this, second = other](double order) {
        return UpAdd(first.LogMomentAt(order), second.LogMomentAt(order));
      },
      std::min(max_order_, other.max_order_));
}

RenyiCurve RenyiCurve::Repeated(double count) const {
  if (count == 0) {
    return RenyiCurve([](double) { return 0.0; }, max_order_);
  }
  return RenyiCurve(
      [one = *this, count](double order) {
        return count > 0 ? UpMul(count, one.LogMomentAt(order)) : kInfinity;
      },
      max_order_);
}

double DeltaAtOrder(double order, double log_moment, double epsilon) {
  if (!(order > 1 && order < kInfinity)) return 1;
  return DeltaFromLog(LogDeltaAtOrder(order, log_moment, epsilon));
}

double EpsilonAtOrder(double order, double log_moment, double delta) {
  if (!(order > 1 && order < kInfinity) || !(delta > 0)) return kInfinity;
  const double log_inverse_delta = InflateUp(-std::log(delta), kLibm);
  const double price =
      UpAdd(UpAdd(log_moment, ConversionConstant(order)), log_inverse_delta);
  if (std::isnan(price)) return kInfinity;
  return price > 0 ? UpDiv(price, DownAdd(order, -1)) : 0.0;
}

double LogMomentBudget(double order, double epsilon, double delta) {
  if (!(order > 1 && order < kInfinity) || !(delta > 0)) return -kInfinity;
  const double log_inverse_delta = InflateUp(-std::log(delta), kLibm);
  return -UpAdd(LogDeltaAtOrder(order, 0, epsilon), log_inverse_delta);
}

double DeltaFromRenyi(const RenyiCurve& curve, double epsilon) {
  return DeltaFromLog(LeastOverOrders(curve.max_order(), [&](double order) {
    return LogDeltaAtOrder(order, curve.LogMomentAt(order), epsilon);
  }));
}

Result<double> EpsilonFromRenyi(const RenyiCurve& curve, double delta) {
  if (!IsProbability(delta)) {
    return InvalidArgument("delta must lie strictly between 0 and 1");
  }
  const double epsilon = LeastOverOrders(curve.max_order(), [&](double order) {
    return EpsilonAtOrder(order, curve.LogMomentAt(order), delta);
  });
  if (!std::isfinite(epsilon)) {
    return NotConverged("no order of the Renyi curve proves a finite epsilon");
  }
  return epsilon;
}

RenyiCurve PureCurve(double epsilon) {
  return RenyiCurve([epsilon](double order) {
    return RandomizedResponseLogMoment(epsilon, order);
  });
}

RenyiCurve GaussianCurve(double sigma) {
  const double rate =
      sigma > 0 ? UpDiv(1, DownMul(2, DownMul(sigma, sigma))) : kInfinity;
  return RenyiCurve(
      [rate](double order) { return QuadraticLogMoment(rate, order); });
}

RenyiCurve ConcentratedCurve(double rho) {
  return RenyiCurve(
      [rho](double order) { return QuadraticLogMoment(rho, order); });
}

Result<double> ConcentratedBudget(double epsilon, double delta) {
  if (!IsPositiveAndFinite(epsilon)) {
    return InvalidArgument("epsilon must be positive and finite");
  }
  if (!IsProbability(delta)) {
    return InvalidArgument("delta must lie strictly between 0 and 1");
  }
  const auto proves = [&](double rho) {
    return DeltaFromRenyi(ConcentratedCurve(rho), epsilon) <= delta;
  };
  double unsafe = epsilon;
  while (proves(unsafe)) unsafe *= 2;
  double safe = unsafe / 2;
  while (!proves(safe)) {
    unsafe = safe;
    safe /= 2;
    if (safe < std::numeric_limits<double>::min()) {
      return NotConverged("no positive rho proves this epsilon and delta");
    }
  }
  while (unsafe - safe > 1e-13 * safe) {
    const double middle = safe + (unsafe - safe) / 2;
    (proves(middle) ? safe : unsafe) = middle;
  }
  return safe;
}

}  // namespace sotto
