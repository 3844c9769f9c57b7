#pragma once

#include "sotto/model/model_row.h"
#include "sotto/model/option.h"

namespace sotto::app {

// All that `sotto run` can be told about a model: what all models share, the
// model's own, the data, the state and the outputs.
OptionTable RunOptions(const OnlineRow& row);

}  // namespace sotto::app
