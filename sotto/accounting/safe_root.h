#pragma once

#include <algorithm>
#include <cmath>

#include "sotto/base/result.h"

namespace sotto {

// One end of a bracket: its x, and the excess of f over the target (<= 0 is
// safe).
struct RootEnd {
  double x;
  double excess;
};

// Finds where a falling function reaches its target and returns the safe end of
// the bracket. The returned x was evaluated and found safe. The bracket is at
// most tolerance * |x| wide.
//
//   auto root = SafeRoot([](double x) -> Result<double> { return 2 - x * x; },
//                        {1, 1}, {2, -2}, 1e-9);
//
// Requires: unsafe.excess > 0 >= safe.excess; the safe end may lie on either
// side. Fails with the function's error, kNotConverged on NaN or after 400
// steps.
template <typename Function>
Result<double> SafeRoot(const Function& excess, RootEnd unsafe, RootEnd safe,
                        double tolerance) {
  bool moved_safe = false;
  for (int step = 0; step < 400; ++step) {
    const double width = std::abs(safe.x - unsafe.x);
    const double allowed = tolerance * std::abs(safe.x);
    if (width <= allowed || width <= 1e-300) return safe.x;
    double x = unsafe.x + (safe.x - unsafe.x) / 2;
    const bool finite =
        std::isfinite(unsafe.excess) && std::isfinite(safe.excess);
    if (finite && step % 3 != 2) {
      const double share = unsafe.excess / (unsafe.excess - safe.excess);
      // Aim a little past the root, so that the end that lags behind moves.
      const double nudge = std::min(0.25, 0.4 * allowed / width);
      const double aim = share + (moved_safe ? -nudge : nudge);
      x = unsafe.x + (safe.x - unsafe.x) * std::clamp(aim, nudge, 1 - nudge);
    }
    if (x == unsafe.x || x == safe.x) return safe.x;
    SOTTO_TRY_ASSIGN(const double value, excess(x));
    if (std::isnan(value)) break;
    moved_safe = value <= 0;
    (moved_safe ? safe : unsafe) = RootEnd{x, value};
  }
  return NotConverged("the search did not converge");
}

}  // namespace sotto
