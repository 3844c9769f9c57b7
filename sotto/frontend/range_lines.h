#pragma once

#include <vector>

#include "sotto/frontend/line_tools.h"

namespace sotto {

// quantile --at, histogram, sum and mean after each line.
const std::vector<LineTool>& RangeTools();

}  // namespace sotto
