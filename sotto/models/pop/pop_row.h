#pragma once

#include "sotto/model/model_row.h"

namespace sotto {

// POP's row in the registry.
const OnlineRow& PopRow();

}  // namespace sotto
