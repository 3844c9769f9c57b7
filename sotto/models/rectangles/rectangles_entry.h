#pragma once

#include "sotto/online/model_entry.h"

namespace sotto {

// The row of the registry for the everlasting predictor of boxes.
const OnlineModelEntry& RectanglesEntry();

}  // namespace sotto
