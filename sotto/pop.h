#pragma once

// The private online procedure: makes any online learner private for every
// user. With the plan that chooses its parameters, and its mistake bound.

#include "sotto/models/pop/pop_bound.h"
#include "sotto/models/pop/pop_plan.h"
#include "sotto/models/pop/pop_schedule.h"
#include "sotto/models/pop/private_online_procedure.h"
