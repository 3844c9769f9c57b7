#pragma once

// Randomness and noise. A Key from the operating system, the stream of words it
// stands for, and exact noise of fixed work drawn from such a stream.

#include "sotto/random/chacha_rng.h"
#include "sotto/random/exponential_selection.h"
#include "sotto/random/fixed_work_gaussian.h"
#include "sotto/random/fixed_work_geometric.h"
#include "sotto/random/fixed_work_laplace.h"
#include "sotto/random/history_rng.h"
#include "sotto/random/key.h"
#include "sotto/random/rng.h"
