#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "sotto/random/key.h"
#include "sotto/random/rng.h"

namespace sotto {

// The next 32 bytes of a stream: the key of one game.
inline Key RandomKey(Rng& rng) {
  std::array<std::byte, Key::kBytes> bytes{};
  for (std::size_t i = 0; i < bytes.size(); i += sizeof(std::uint64_t)) {
    const std::uint64_t word = rng.Next();
    for (std::size_t b = 0; b < sizeof word; ++b) {
      bytes[i + b] = static_cast<std::byte>(word >> (8 * b));
    }
  }
  return Key::FromBytes(bytes);
}

// Audits are experiments on synthetic data: their noise may be public.
inline Key KnownKey() {
  const std::array<std::byte, Key::kBytes> zeros{};
  return Key::FromBytes(zeros);
}

}  // namespace sotto
