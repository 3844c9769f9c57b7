#pragma once

// Plain online learners, without privacy of their own: what a learner must do,
// the built-in ones by name, and the votes of many copies of one.

#include "sotto/learners/ensembles/ensemble.h"
#include "sotto/learners/ensembles/ensemble_factory.h"
#include "sotto/learners/ensembles/naive_ensemble.h"
#include "sotto/learners/learner.h"
#include "sotto/learners/learner_spec.h"
