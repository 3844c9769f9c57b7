#pragma once

// A function of a finite class, learned online and published; its plan.

#include "sotto/models/littlestone/finite_class_learner.h"
#include "sotto/models/littlestone/finite_class_plan.h"
#include "sotto/models/littlestone/paper_learners.h"
