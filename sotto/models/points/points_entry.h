#pragma once

#include "sotto/online/model_entry.h"

namespace sotto {

// `points`, for the registry.
const OnlineModelEntry& PointsEntry();

}  // namespace sotto
