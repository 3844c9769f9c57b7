#pragma once

#include "sotto/base/result.h"
#include "sotto/learners/classes/decomposition.h"
#include "sotto/learners/classes/finite_class.h"

namespace sotto {

// Checks that the tree is a valid (p, d)-decomposition of the set, from the
// definitions, by exhaustive search. For small classes. Fails with
// kInvalidArgument and names the fault.
Status CheckDecomposition(const FiniteClass& functions,
                          const FiniteClass::Set& set,
                          const DecompositionTree& tree,
                          const Decomposition::Params& params);

}  // namespace sotto
