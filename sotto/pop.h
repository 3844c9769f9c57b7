#pragma once

// The private online procedure: any online learner, made private for every
// user; the plan that chooses its numbers and the mistakes proved of it.

#include "sotto/models/pop/pop_bound.h"
#include "sotto/models/pop/pop_plan.h"
#include "sotto/models/pop/pop_schedule.h"
#include "sotto/models/pop/private_online_procedure.h"
