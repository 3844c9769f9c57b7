#pragma once

#include <cstddef>
#include <vector>

#include "sotto/base/result.h"
#include "sotto/learners/classes/finite_class.h"

namespace sotto {

// Some functions of the class that together stand for one that need not be in
// it: of kProperRounds picks, hardly any is wrong at any one point. So on every
// table some of them is hardly worse than it. A function of the class stands
// for itself.
//
//   auto support = ProperSupport(functions, labels);   // places, ascending
//
// Paper:   the remark after [Littlestone] Theorem 3; here by multiplicative
//          weights on the points.
// Proof:   littlestone_erm.md, step 5.
// Threads: a pure function.
inline constexpr std::size_t kProperRounds = 256;

std::vector<std::size_t> ProperSupport(const FiniteClass& functions,
                                       const std::vector<bool>& labels);

// Fails with kInvalidArgument for classes of more than 2^24 labels.
Status CheckProperSize(const FiniteClass& functions);

}  // namespace sotto
