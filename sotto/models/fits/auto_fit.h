#pragma once

#include "sotto/models/fits/private_fit.h"

namespace sotto {

// Several fits, and the best of them by rows held out. For streams only: a
// table has no rounds.
const FitEntry& AutoEntry();

}  // namespace sotto
