#pragma once

#include "sotto/base/int128.h"
#include "sotto/random/rng.h"

namespace sotto {

// Uniform on {0, ..., n - 1}, exactly, for secret n. The work depends on n only
// in an event of probability 2^-128.
//
//   Uint128 target = WideUniformBelow(total, rng);
//
// UniformBelow (exact_samplers.h) has the same distribution, but its number of
// trials depends on n.
//
// Guarantee: the exact distribution.
// Proof:     loss_weights.md, step 4.
// Threads:   one Rng, one thread.
//
// Requires: 1 <= n < 2^127.
Uint128 WideUniformBelow(Uint128 n, Rng& rng);

}  // namespace sotto
