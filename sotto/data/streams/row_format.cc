#include "sotto/data/streams/row_format.h"

#include <cmath>

namespace sotto {

bool RowFormat::CheckMagnitude(const Round& round, double most,
                               RowError& fault) const {
  for (const Feature& feature : round.x) {
    if (std::abs(feature.value) <= most) continue;
    if (feature.index >= encoding().dense()) continue;
    fault.Set(FaultReason::kRange, ShownNumber(feature.value),
              "a magnitude of at most " + ShownNumber(most));
    Locate(feature.index, fault);
    return false;
  }
  return true;
}

bool RowFormat::CheckPoint(const Round& round, std::uint64_t points,
                           RowError& fault) const {
  const double value = ValueAt(round.x, 0);
  if (value >= 0 && value < static_cast<double>(points) &&
      value == std::floor(value)) {
    return true;
  }
  fault.Set(FaultReason::kRange, ShownNumber(value),
            "a point of the class: a whole number from 0 to " +
                std::to_string(points - 1));
  Locate(0, fault);
  return false;
}

bool RowFormat::CheckValues(const Round& round, const ValueLimits& limits,
                            RowError& fault) const {
  if (round.presence != Presence::kPresent) return true;
  return (!limits.max_magnitude ||
          CheckMagnitude(round, *limits.max_magnitude, fault)) &&
         (!limits.points || CheckPoint(round, *limits.points, fault));
}

void MakeUnusable(Round& round) {
  round.presence = Presence::kUnusable;
  round.x.clear();
  round.y.reset();
  round.honest.reset();
}

}  // namespace sotto
