#pragma once

#include "sotto/model/option.h"

namespace sotto {

// What a user may say about winnow, beside what all models share.
const OptionTable& WinnowOptions();

}  // namespace sotto
