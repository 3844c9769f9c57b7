#include "sotto/random/wide_uniform.h"

#include <array>
#include <cassert>
#include <cstdint>

namespace sotto {
namespace {

// A product of 256 bits.
struct Wide {
  Uint128 high;
  Uint128 low;
};

Wide Multiply(Uint128 a, Uint128 b) {
  const Uint128 low = Uint128{Low64(a)} * Low64(b);
  const Uint128 cross1 = Uint128{High64(a)} * Low64(b) + High64(low);
  const Uint128 cross2 = Uint128{Low64(a)} * High64(b) + Low64(cross1);
  return {Uint128{High64(a)} * High64(b) + High64(cross1) + High64(cross2),
          a * b};
}

// 2^256 modulo n. Requires: n < 2^127.
Uint128 PowerModulo(Uint128 n) {
  Uint128 rest = -n % n;  // 2^128 modulo n
  for (int i = 0; i < 128; ++i) {
    rest += rest;
    if (rest >= n) rest -= n;
  }
  return rest;
}

}  // namespace

Uint128 WideUniformBelow(Uint128 n, Rng& rng) {
  assert(n >= 1 && n >> 127 == 0);
  for (;;) {
    std::array<std::uint64_t, 4> words;
    rng.Fill(words);
    // n * V = top * 2^256 + rest, V uniform below 2^256.
    const Wide high = Multiply(n, Uint128{words[0]} << 64 | words[1]);
    const Wide low = Multiply(n, Uint128{words[2]} << 64 | words[3]);
    const Uint128 middle = high.low + low.high;
    const Uint128 top = high.high + Uint128{middle < high.low};
    // Step 4: only values of `rest` below 2^256 modulo n, which is below n, are
    // drawn again.
    if (middle != 0 || low.low >= n || low.low >= PowerModulo(n)) return top;
  }
}

}  // namespace sotto
