#pragma once

// Online learners without privacy: the interface of a learner, the built-in
// learners by name, and the votes of many copies.

#include "sotto/learners/ensembles/ensemble.h"
#include "sotto/learners/ensembles/ensemble_factory.h"
#include "sotto/learners/ensembles/naive_ensemble.h"
#include "sotto/learners/learner.h"
#include "sotto/learners/learner_spec.h"
