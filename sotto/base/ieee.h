#pragma once

#include <limits>

// Guarantees are computed with doubles that round as IEEE 754 says. A program
// compiled with -ffast-math may bring its own copies of our inline functions,
// of which a linker keeps one, and starts by flushing small numbers to zero
// everywhere, in this library too. So it is refused.
#ifdef __FAST_MATH__
#error "Sotto needs IEEE arithmetic: compile without -ffast-math and -Ofast"
#endif

static_assert(std::numeric_limits<double>::is_iec559 &&
              std::numeric_limits<double>::digits == 53);
