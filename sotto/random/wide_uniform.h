#pragma once

#include "sotto/base/int128.h"
#include "sotto/random/rng.h"

namespace sotto {

// Uniform on {0, ..., n - 1}, exactly, in work that does not depend on n but
// for an event of probability 2^-128: for totals that are secret.
//
//   Uint128 target = WideUniformBelow(total, rng);
//
// UniformBelow (exact_samplers.h) has the same distribution; how often it tries depends
// on n.
//
// Guarantee: the exact distribution.
// Proof:     loss_weights.md, step 4.
// Threads:   one Rng, one thread.
//
// Requires: 1 <= n < 2^127.
Uint128 WideUniformBelow(Uint128 n, Rng& rng);

}  // namespace sotto
