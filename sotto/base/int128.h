#pragma once

#include <cstdint>

namespace sotto {

// 128-bit integers, which g++ and clang have and ISO C++ does not.
__extension__ typedef __int128 Int128;            // NOLINT(modernize-use-using)
__extension__ typedef unsigned __int128 Uint128;  // NOLINT(modernize-use-using)

constexpr std::uint64_t High64(Uint128 value) {
  return static_cast<std::uint64_t>(value >> 64);
}

constexpr std::uint64_t Low64(Uint128 value) {
  return static_cast<std::uint64_t>(value);
}

}  // namespace sotto
