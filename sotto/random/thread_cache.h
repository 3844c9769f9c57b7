#pragma once

namespace sotto {

// Frees constants that MPFR keeps for the calling thread. Call it at the end of
// a thread that made a sampler or computed a cost; otherwise they leak.
void FreeThreadCache();

}  // namespace sotto
