#pragma once

#include <cstdint>

#include "sotto/base/result.h"
#include "sotto/mechanisms/mirrors/staircase_mirror.h"

namespace sotto {

// The staircase with the fewest expected mistakes that a local search finds for
// (epsilon, delta), with `back` in epsilon's place for zero over one. Public
// parameters in, public parameters out: nothing here is trusted, ComputeDelta()
// certifies the result.
//
//   auto staircase = FindStaircase(0.5, 0.5, 1e-6, /*delay=*/1);
//
// Fails with kNotConverged where the search finds none.
//
// Proof:   staircase_mirror.md, step 6, next to this file.
// Threads: pure.
Result<Staircase> FindStaircase(double epsilon, double back, double delta,
                                std::uint64_t delay);

}  // namespace sotto
