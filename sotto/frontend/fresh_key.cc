#include "sotto/frontend/fresh_key.h"

#include <array>
#include <cstddef>

namespace sotto {

Result<Key> FreshKey(const std::optional<std::uint64_t>& seed) {
  if (!seed) return Key::Generate();
  const std::array<std::byte, Key::kBytes> zeros{};
  return Key::FromBytes(zeros).Derive("seed-v1", "experiments only",
                                      {static_cast<std::uint64_t>(*seed)});
}

}  // namespace sotto
