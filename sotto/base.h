#pragma once

// Basic types of every other header: Result and Status, features, exact
// rational parameters, bytes of saved states. The other headers include what
// they need.

#include "sotto/base/bytes.h"
#include "sotto/base/feature_view.h"
#include "sotto/base/rational.h"
#include "sotto/base/result.h"
