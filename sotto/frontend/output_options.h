#pragma once

#include "sotto/base/option.h"

namespace sotto {

// What every run is told about its state: --save, --save-every, --load, --seed.
const OptionTable& StateOptions();
// About what it writes: predictions, report, table, JSON.
const OptionTable& OutputOptions();
// --hypothesis, of models that publish what they learn.
const OptionTable& HypothesisOption();

}  // namespace sotto
