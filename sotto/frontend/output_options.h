#pragma once

#include "sotto/base/option.h"

namespace sotto {

// The state of a run: --save, --save-every, --load, --replace, --seed.
const OptionTable& StateOptions();
const Option& ReplaceOption();
// The outputs of a run: predictions, report, table, JSON.
const OptionTable& OutputOptions();
// --publish, of models that publish what they learn.
const OptionTable& HypothesisOption();

}  // namespace sotto
