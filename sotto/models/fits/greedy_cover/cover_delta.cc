#include "sotto/models/fits/greedy_cover/cover_delta.h"

#include <algorithm>
#include <cmath>

#include "sotto/accounting/rounding.h"

namespace sotto {
namespace {

// Covers the rounding of the closed form: its exponent is at most 710 before
// the result underflows, and carries a few units in its last place.
constexpr double kRelative = 1e-12;
constexpr double kSmallest = 1e-300;  // added, so that nothing underflows to 0
constexpr double kLargestWeight = 300;

bool IsWeight(double weight) { return weight >= 0 && weight <= kLargestWeight; }

// The value of the game in which losses end at -down or +up from where they
// stand (cover_delta.md, step 4).
double Value(double down, double up, double x) {
  const double range = std::expm1(down + up);
  if (range <= 0) return std::max(0.0, -std::expm1(x));
  const double corner = up - down;
  if (x <= corner) {
    const double fall = std::expm1(up);
    const double exponent = up > 0 ? (x - corner) / -std::expm1(-up) : 0;
    return -std::expm1(x) + fall * (fall / range) * std::exp(exponent);
  }
  const double rise = std::expm1(down);
  if (rise <= 0) return 0;
  return std::exp(corner) * rise * (rise / range) *
         std::exp((corner - x) / rise);
}

double RoundedValue(double down, double up, double x) {
  if (!IsWeight(down) || !IsWeight(up) || std::isnan(x)) return 1;
  const double value = Value(down, up, x);
  if (std::isnan(value)) return 1;
  // Below the corner two terms of opposite sign are added.
  const double slack = x <= up - down ? std::abs(std::expm1(x)) : value;
  const double rounded =
      InflateUp(value, kRelative) + slack * kRelative + kSmallest;
  return std::clamp(rounded, kSmallest, 1.0);
}

}  // namespace

double CoverDeltaWithRow(const CoverWeights& weights, double x) {
  return RoundedValue(weights.penalty, weights.reward, x);
}

double CoverDeltaWithoutRow(const CoverWeights& weights, double x) {
  return RoundedValue(weights.reward, weights.penalty, x);
}

double CoverDelta(const CoverWeights& weights, Relation relation,
                  double epsilon) {
  if (!(epsilon >= 0)) return 1;
  switch (relation) {
    case Relation::kReplace: {
      const double range = StepUp(weights.penalty + weights.reward);
      return RoundedValue(range, range, epsilon);
    }
    case Relation::kAddRemove:
      return std::max(CoverDeltaWithRow(weights, epsilon),
                      CoverDeltaWithoutRow(weights, epsilon));
    case Relation::kChangeByOne:
      break;
  }
  return 1;  // A row is not a count.
}

}  // namespace sotto
