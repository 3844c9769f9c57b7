#include "sotto/streams/row_format.h"

#include <cmath>

namespace sotto {

bool RowFormat::CheckMagnitude(const Round& round, double most,
                               RowFault& fault) const {
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

void MakeUnusable(Round& round) {
  round.presence = Presence::kUnusable;
  round.x.clear();
  round.y.reset();
  round.honest.reset();
}

}  // namespace sotto
