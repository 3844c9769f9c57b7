#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "sotto/base/bytes.h"
#include "sotto/base/result.h"
#include "sotto/random/key.h"

namespace sotto {

// Digest of the class and of everything that losses and draws depend on: a
// state resumes only with the parameters it began with. A class may come from a
// file that has changed.
using ClassDigest = std::array<std::uint64_t, 2>;

inline ClassDigest ComputeDigest(std::string_view format,
                                 const ByteWriter& parameters) {
  const std::array<std::byte, Key::kBytes> bytes{};
  return Key::FromBytes(bytes)
      .Derive(format, "state", {})
      .Hash(parameters.bytes());
}

inline Error DamagedClassState() {
  return Corruption("the state of the class learner makes no sense");
}

// Reads the digest of a state. Fails with kCorruption, or with
// kFailedPrecondition if it is another one.
inline Status CheckDigest(const ClassDigest& digest, ByteReader& reader) {
  for (const std::uint64_t word : digest) {
    if (reader.Number<std::uint64_t>() == word) continue;
    if (reader.failed()) return DamagedClassState();
    return FailedPrecondition(
        "the state is of another class, or of other parameters: expected the "
        "class it was made for");
  }
  return Ok();
}

}  // namespace sotto
