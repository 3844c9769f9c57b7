#pragma once

// Online logistic regression over the columns of a table, which publishes its
// weights.

#include "sotto/models/tide/private_tide.h"
#include "sotto/models/tide/tide_hypothesis.h"
