#pragma once

#include "sotto/model/model_row.h"

namespace sotto {

// `points`, for the registry.
const OnlineRow& PointsRow();

}  // namespace sotto
