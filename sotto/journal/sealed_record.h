#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sotto/base/result.h"
#include "sotto/journal/journal.h"
#include "sotto/journal/journal_keys.h"

namespace sotto {

inline constexpr std::size_t kNonceBytes = 24;
inline constexpr std::size_t kTagBytes = 16;
using Nonce = std::span<const std::uint8_t, kNonceBytes>;

// `count` nonces from the operating system, one after the other.
std::vector<std::uint8_t> RandomNonces(std::size_t count);

// Appends nonce, ciphertext and tag to `out`.
void Seal(const Key& key, std::string_view associated, std::string_view plain,
          Nonce nonce, std::string& out);
// Appends the text to `out`. False, and `out` as it was, if the bytes were not
// sealed by this key with this associated data.
bool Unseal(const Key& key, std::string_view associated,
            std::string_view sealed, std::string& out);

// Associated data of a record: its lineage, its index, the hash before it.
std::string RecordPlace(const Lineage& lineage, std::uint64_t index,
                        const ChainHash& previous);
ChainHash GenesisHash(const Lineage& lineage);
ChainHash NextHash(const ChainHash& previous, std::string_view sealed);

// Raw bytes of hashes and lineages as text, and back.
inline std::string_view AsText(std::span<const std::uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}
// Requires bytes.size() == N.
template <std::size_t N>
std::array<std::uint8_t, N> AsArray(std::string_view bytes) {
  std::array<std::uint8_t, N> array;
  for (std::size_t i = 0; i < N; ++i) {
    array[i] = static_cast<std::uint8_t>(bytes[i]);
  }
  return array;
}

// CRC-32 as in zlib, continued from `before`.
std::uint32_t Crc(std::string_view bytes, std::uint32_t before = 0);

}  // namespace sotto
