#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sotto/base/int128.h"
#include "sotto/random/rng.h"

namespace sotto {

// A distribution on {0, ..., m} given by its m cumulative probabilities. The
// work of a draw does not depend on the value drawn.
//
//   ThresholdTable coin({Uint128{1} << 127});       // 0 or 1, one half each
//   std::uint64_t side = coin.Draw(rng);
//
// A draw compares one random word with the upper half of every threshold; a
// second word decides if the first equals one of them, which happens with
// probability at most m / 2^64.
//
// Guarantee: Pr[draw < i] = thresholds[i - 1] / 2^128, exactly.
// Proof:     threshold_table.md.
// Threads:   immutable; const calls may run at the same time.
class ThresholdTable {
 public:
  // Draws made side by side in DrawBatch.
  static constexpr std::size_t kBatch = 256;

  // Requires: thresholds do not decrease.
  explicit ThresholdTable(std::vector<Uint128> thresholds);

  std::uint64_t Draw(Rng& rng) const;

  // Draws once for each element and adds (draw << shift) to it by bitwise or.
  // Requires: the draws, shifted, fit 63 bits; values.size() <= kBatch.
  void DrawBatch(Rng& rng, unsigned shift,
                 std::span<std::int64_t> values) const;

  // The distribution, for tests.
  std::span<const Uint128> thresholds() const { return thresholds_; }

 private:
  // DrawBatch for a multiple of the lanes that the kernel works on at once.
  void DrawLanes(Rng& rng, unsigned shift,
                 std::span<std::int64_t> values) const;
  // The number that a tie adds to the keys below `word`. Draws one word.
  std::uint64_t ResolveTie(std::int64_t word, Rng& rng) const;

  std::vector<Uint128> thresholds_;
  // Upper halves with the top bit flipped: the signed comparison, which every
  // vector unit has, then orders them. A random word is read as signed, which
  // is as uniform as unsigned (threshold_table.md, step 1).
  std::vector<std::int64_t> keys_;
};

}  // namespace sotto
