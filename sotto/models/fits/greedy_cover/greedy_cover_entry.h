#pragma once

#include "sotto/models/batch/batch_model_entry.h"
#include "sotto/online/model_entry.h"

namespace sotto {

// The row of private decision lists in the registry.
const BatchModelEntry& GreedyCoverEntry();

}  // namespace sotto
