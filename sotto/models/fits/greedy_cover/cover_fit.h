#pragma once

#include "sotto/online/model_entry.h"

namespace sotto {

// As BatchModelEntry::fit.
Result<FitResult> FitCover(const Settings& settings, const TableSource& source,
                           const Key& key);

}  // namespace sotto
