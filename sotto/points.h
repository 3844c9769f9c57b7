#pragma once

// Which points are labelled 1, learned privately and told only to whoever
// brings one; how its budget is shared out.

#include "sotto/models/points/count_gate.h"
#include "sotto/models/points/lopsided_step.h"
#include "sotto/models/points/point_design.h"
#include "sotto/models/points/point_predictor.h"
