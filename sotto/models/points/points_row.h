#pragma once

#include "sotto/online/model_row.h"

namespace sotto {

// `points`, for the registry.
const OnlineRow& PointsRow();

}  // namespace sotto
