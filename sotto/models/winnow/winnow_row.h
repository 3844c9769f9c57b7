#pragma once

#include "sotto/model/model_row.h"

namespace sotto {

// Winnow's row in the registry.
const OnlineRow& WinnowRow();

}  // namespace sotto
