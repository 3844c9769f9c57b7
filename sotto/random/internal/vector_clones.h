#pragma once

// One copy of the kernel per vector unit, chosen when the program loads. The
// resolver runs too early for the sanitizers.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
#define SOTTO_VECTOR_CLONES \
  __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define SOTTO_VECTOR_CLONES
#endif
