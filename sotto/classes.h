#pragma once

// Finite classes of functions, by name or from files: their Littlestone
// dimension with its tree, reductions and decompositions.

#include "sotto/learners/classes/class_file.h"
#include "sotto/learners/classes/decomposition.h"
#include "sotto/learners/classes/dimension_search.h"
#include "sotto/learners/classes/finite_class.h"
#include "sotto/learners/classes/irreducibility.h"
#include "sotto/learners/classes/littlestone_dimension.h"
#include "sotto/learners/classes/mistake_tree.h"
#include "sotto/learners/classes/named_class.h"
