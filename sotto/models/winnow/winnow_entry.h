#pragma once

#include "sotto/online/model_entry.h"

namespace sotto {

// Winnow's row in the registry.
const OnlineModelEntry& WinnowEntry();

}  // namespace sotto
