#pragma once

#include "sotto/online/model_entry.h"

namespace sotto {

// The row of the registry for the everlasting predictor of stumps.
const OnlineModelEntry& StumpsEntry();

}  // namespace sotto
