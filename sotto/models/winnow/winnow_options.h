#pragma once

#include "sotto/base/option.h"

namespace sotto {

// What a user may say about winnow, beside what all models share.
const OptionTable& WinnowOptions();

}  // namespace sotto
