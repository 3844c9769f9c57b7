#pragma once

// The everlasting predictor: turns any learner and one training set into a
// predictor without a time limit. With the plan that chooses its parameters.

#include "sotto/models/everlasting/everlasting_plan.h"
#include "sotto/models/everlasting/everlasting_predictor.h"
#include "sotto/models/everlasting/everlasting_schedule.h"
