#include "sotto/data/streams/row_format.h"

#include <algorithm>
#include <cmath>

namespace sotto {

void RowFormat::Clamp(Round& round, const std::pair<double, double>& range,
                      RowError& fault) const {
  for (Feature& feature : round.x) {
    if (feature.index >= encoding().dense()) continue;
    const double value = std::clamp(feature.value, range.first, range.second);
    if (value != feature.value) ++fault.clamped;
    feature.value = value;
  }
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

bool RowFormat::CheckValues(Round& round, const ValueLimits& limits,
                            RowError& fault) const {
  if (round.presence != Presence::kPresent) return true;
  if (limits.range) Clamp(round, *limits.range, fault);
  return !limits.points || CheckPoint(round, *limits.points, fault);
}

void MakeUnusable(Round& round) {
  round.presence = Presence::kUnusable;
  round.x.clear();
  round.y.reset();
  round.honest.reset();
}

}  // namespace sotto
