#pragma once

#include "sotto/base/rational.h"
#include "sotto/random/fixed_work_laplace.h"

namespace sotto {

// Discrete Laplace noise of a valid rate.
inline FixedWorkLaplace NoiseOfRate(double rate) {
  return *FixedWorkLaplace::Create(*RationalBelow(rate));
}

}  // namespace sotto
