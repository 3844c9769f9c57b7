#include "sotto/random/thread_cache.h"

#include <mpfr.h>

namespace sotto {

void FreeThreadCache() { mpfr_free_cache2(MPFR_FREE_LOCAL_CACHE); }

}  // namespace sotto
