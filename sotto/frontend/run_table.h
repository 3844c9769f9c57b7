#pragma once

#include "sotto/base/option.h"
#include "sotto/online/model_entry.h"

namespace sotto {

// All options of a run of this model, as flags or keywords, but for
// --publish. Saved states keep settings of this table, so all code that
// reads or writes them asks here.
OptionTable RunTable(const OnlineModelEntry& entry);

}  // namespace sotto
