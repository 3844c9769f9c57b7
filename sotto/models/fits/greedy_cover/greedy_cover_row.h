#pragma once

#include "sotto/online/model_row.h"

namespace sotto {

// The row of private decision lists in the registry.
const BatchRow& GreedyCoverRow();

}  // namespace sotto
