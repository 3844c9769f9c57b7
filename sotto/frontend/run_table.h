#pragma once

#include "sotto/base/option.h"
#include "sotto/online/model_entry.h"

namespace sotto {

// All that a run of this model is told, in flags or keywords, but for
// --hypothesis. Saved states keep settings of this table, so whatever reads or
// writes them asks here.
OptionTable RunTable(const OnlineModelEntry& entry);

}  // namespace sotto
