#pragma once

// A function of a finite class, learned online and published, or from a table;
// their plans.

#include "sotto/learners/classes/paper_learners.h"
#include "sotto/models/littlestone/finite_class_learner.h"
#include "sotto/models/littlestone/finite_class_plan.h"
#include "sotto/models/papers/dp_online_learner.h"
#include "sotto/models/papers/dp_online_plan.h"
#include "sotto/models/papers/littlestone_erm.h"
#include "sotto/models/papers/littlestone_erm_plan.h"
