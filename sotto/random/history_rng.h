#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "sotto/random/key.h"
#include "sotto/random/rng.h"

namespace sotto {

// Noise that depends on a key and on everything absorbed so far. Absorb each
// round's number and private input before drawing that round's noise:
//
//   HistoryRng rng(key);
//   rng.Absorb(count);                  // this round's input
//   auto estimate = counter.Add(count, rng);
//
// Two streams that start from one saved key and absorb the same inputs give the
// same words, so a resumed run equals an uninterrupted one. After the first
// different input they are independent, so a state loaded twice never puts the
// same noise on different data. Earlier words cannot be recovered from a later
// key.
//
// Guarantee: computational, as far as the ChaCha20 block function is
//            pseudo-random.
// Proof:     history_rng.md
// Threads:   one stream, one thread.
class HistoryRng final : public Rng {
 public:
  explicit HistoryRng(const Key& key) : key_(key) {}

  // Replaces the key by one that depends on the input and starts a new stream.
  // Discards unread words of the old stream. Long inputs are absorbed in a
  // fixed number of pieces.
  void Absorb(std::uint64_t input) { Absorb(input, 0); }
  // Requires second < 2^63.
  void Absorb(std::uint64_t first, std::uint64_t second);

  // Key for the saved state. Secret: it determines all later noise.
  const Key& key() const { return key_; }

 private:
  void Produce(std::span<std::uint64_t> words) override;
  std::size_t RefillWords() const override;

  Key key_;
  std::uint64_t next_block_ = 0;
  // The last round took at most one block after its first words.
  bool short_rounds_ = true;
};

}  // namespace sotto
