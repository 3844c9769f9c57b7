#pragma once

#include <cstdint>

#include "sotto/random/chacha_rng.h"

namespace sotto::testing {

// The production stream under a public key: reproducible, so its noise protects
// nothing. It lives in sotto::testing, which no app links.
//
//   testing::SeededRng rng(7);
//
// Threads: one stream, one thread.
class SeededRng final : public ChaChaRng {
 public:
  explicit SeededRng(std::uint64_t seed);
};

}  // namespace sotto::testing
