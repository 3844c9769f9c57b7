#pragma once

#include <cstdint>
#include <span>

#include "sotto/random/key.h"
#include "sotto/random/rng.h"

namespace sotto {

// The ChaCha20 keystream of a key, as 64-bit words: production randomness.
//
//   auto key = Key::Generate();
//   ChaChaRng rng(key->Derive("noise-v1", "votes", {round}));
//   std::uint64_t word = rng.Next();
//
// Guarantee: computational. The words look uniform and independent to anyone
// without the key, if ChaCha20 is a pseudo-random generator.
// Proof: chacha_rng.md.
// Threads: one stream, one thread.
class ChaChaRng : public Rng {
 public:
  explicit ChaChaRng(const Key& key) : key_(key) {}

 private:
  void Produce(std::span<std::uint64_t> words) override;

  Key key_;
  std::uint64_t next_block_ = 0;
};

}  // namespace sotto
