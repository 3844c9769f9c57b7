#include "sotto/testing/seeded_rng.h"

#include <array>
#include <cstddef>

namespace sotto::testing {
namespace {

Key PublicKey(std::uint64_t seed) {
  const std::array<std::byte, Key::kBytes> zeros{};
  return Key::FromBytes(zeros).Derive("test-seed-v1", "seeded-rng", {seed});
}

}  // namespace

SeededRng::SeededRng(std::uint64_t seed) : ChaChaRng(PublicKey(seed)) {}

}  // namespace sotto::testing
