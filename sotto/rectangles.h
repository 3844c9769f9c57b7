#pragma once

// Everlasting predictors of boxes and stumps, which start from a training set.

#include "sotto/mechanisms/boundaries/boundary_predictor.h"
#include "sotto/models/rectangles/rectangles_predictor.h"
#include "sotto/models/stumps/decision_stumps_predictor.h"
