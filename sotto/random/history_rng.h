#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "sotto/random/key.h"
#include "sotto/random/rng.h"

namespace sotto {

// Noise that depends on a key and on everything absorbed so far. Absorb each
// round's public tick and private input before drawing that round's noise:
//
//   HistoryRng rng(key);
//   rng.Absorb(count);                  // this round's input
//   auto estimate = counter.Add(count, rng);
//
// Two streams that start from one saved key and meet the same inputs give the
// same words (a resumed run equals an uninterrupted one); at the first input
// that differs they part and are independent from then on, so a state loaded
// twice never puts the same noise on different data. Earlier words cannot be
// recovered from a later key.
//
// Guarantee: computational, as far as the ChaCha20 block function is
//            pseudo-random.
// Proof:     history_rng.md
// Threads:   one stream, one thread.
class HistoryRng final : public Rng {
 public:
  explicit HistoryRng(const Key& key) : key_(key) {}

  // Moves the key on by one input and starts a new stream. Words of the old
  // one that were not drawn are gone. InputSpec that do not fit are absorbed in
  // pieces, always the same number of them.
  void Absorb(std::uint64_t input) { Absorb(input, 0); }
  // Requires second < 2^63.
  void Absorb(std::uint64_t first, std::uint64_t second);

  // What a saved state keeps. Secret: whoever holds it knows the noise to come.
  const Key& key() const { return key_; }

 private:
  void Produce(std::span<std::uint64_t> words) override;

  Key key_;
  std::uint64_t next_block_ = 0;
};

}  // namespace sotto
