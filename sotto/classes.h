#pragma once

// Finite classes of functions: by name, from files, and what is known of them:
// the Littlestone dimension with its tree, reductions and decompositions.

#include "sotto/classes/class_file.h"
#include "sotto/classes/decomposition.h"
#include "sotto/classes/dimension_search.h"
#include "sotto/classes/finite_class.h"
#include "sotto/classes/irreducibility.h"
#include "sotto/classes/littlestone_dimension.h"
#include "sotto/classes/mistake_tree.h"
#include "sotto/classes/named_class.h"
