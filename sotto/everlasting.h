#pragma once

// The everlasting predictor: any learner, made a predictor that answers queries
// for ever from one labelled set; the plan that chooses its numbers.

#include "sotto/models/everlasting/everlasting_plan.h"
#include "sotto/models/everlasting/everlasting_predictor.h"
#include "sotto/models/everlasting/everlasting_schedule.h"
