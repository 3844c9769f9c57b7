#pragma once

#include "sotto/online/model_entry.h"

namespace sotto {

// The row of the registry for the everlasting predictor over any learner.
const OnlineModelEntry& EverlastingEntry();

}  // namespace sotto
