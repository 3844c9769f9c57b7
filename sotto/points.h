#pragma once

// A private predictor of the points with label 1. It predicts a point only for
// users who bring it. With the split of its budget.

#include "sotto/models/points/count_gate.h"
#include "sotto/models/points/lopsided_step.h"
#include "sotto/models/points/point_design.h"
#include "sotto/models/points/point_predictor.h"
