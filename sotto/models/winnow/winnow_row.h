#pragma once

#include "sotto/online/model_row.h"

namespace sotto {

// Winnow's row in the registry.
const OnlineRow& WinnowRow();

}  // namespace sotto
