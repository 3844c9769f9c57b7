#pragma once

#include <algorithm>
#include <cmath>
#include <functional>

#include "sotto/base/result.h"

namespace sotto {

// The largest x with f(x) <= goal for an increasing, nearly straight function
// that is expensive to evaluate, such as ln delta against ln rate.
//
//   auto x = LargestMeeting({.low = 0, .high = 3, .goal = -13.8, .slope = 28},
//                           f);
//
// The returned x was evaluated and meets the goal, or is `low`, which must meet
// it. It is the largest, to within `tolerance`, if f is monotone and its slope
// changes slowly.
//
// Threads: a pure function, if f is one.
struct MonotoneSearch {
  double low = 0;   // f(low) <= goal, by another proof if need be
  double high = 0;  // no x above is tried
  double goal = 0;
  double slope = 1;  // a guess
  double tolerance = 1e-3;
};

// ln(value / goal). Rounding never changes its sign.
inline double LogRatio(double value, double goal) {
  const double ratio = std::log(value / goal);
  return value <= goal ? std::min(ratio, 0.0) : std::max(ratio, 0x1p-52);
}

inline Result<double> LargestMeeting(
    const MonotoneSearch& search,
    const std::function<Result<double>(double)>& f) {
  constexpr int kMaxSteps = 60;
  constexpr double kLeastSlope = 0.5;  // jumps must not stop the search
  double low = search.low;
  double high = search.high;
  double slope = search.slope;
  SOTTO_TRY_ASSIGN(const auto first, f(low));
  double at_low = first;
  if (at_low > search.goal) return low;
  bool has_high = false;
  for (int i = 0; i < kMaxSteps && low < high; ++i) {
    if ((search.goal - at_low) / slope <= search.tolerance / 2) break;
    if (has_high && high - low <= search.tolerance) break;
    // Aims a little inside, so that one more point usually ends the search.
    double next = low + (search.goal - at_low) / slope - search.tolerance / 4;
    const double edge = has_high ? (high - low) / 16 : 0;
    next = std::clamp(next, low + edge, high - edge);
    SOTTO_TRY_ASSIGN(const auto value, f(next));
    const double observed = (value - at_low) / (next - low);
    if (observed > kLeastSlope) slope = observed;
    if (value <= search.goal) {
      if (next >= search.high) return next;
      low = next;
      at_low = value;
    } else {
      high = next;
      has_high = true;
    }
  }
  return low;
}

}  // namespace sotto
