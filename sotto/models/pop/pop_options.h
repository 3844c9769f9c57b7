#pragma once

#include "sotto/base/option.h"

namespace sotto {

// What a user may say about POP, beside what all models share.
const OptionTable& PopOptions();

}  // namespace sotto
