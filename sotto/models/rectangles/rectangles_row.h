#pragma once

#include "sotto/online/model_row.h"

namespace sotto {

// The row of the registry for the everlasting predictor of boxes.
const OnlineRow& RectanglesRow();

}  // namespace sotto
