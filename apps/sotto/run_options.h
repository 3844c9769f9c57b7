#pragma once

#include "sotto/base/option.h"
#include "sotto/online/model_entry.h"

namespace sotto::app {

// All options of `sotto run` for a model: what all models share, the model's
// own, the data, the state and the outputs.
OptionTable RunOptions(const OnlineModelEntry& entry);

}  // namespace sotto::app
