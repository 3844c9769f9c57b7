#pragma once

#include <cstdint>
#include <limits>

#include "sotto/models/fits/fit_batch.h"
#include "sotto/models/fits/split_scan.h"
#include "sotto/random/loss_weights.h"
#include "sotto/random/rng.h"

namespace sotto {

// Test hooks of fits. They change nothing unless a replay of two neighbouring
// batches watches the stream (sotto/testing/replay_rng.h).

// Shows the rows that a draw with these weights looks at. A row that is removed
// changes no loss by more than `units`.
void ReportRows(const FitBatch& batch, const LossWeights& weights,
                std::uint64_t units, Rng& rng);

// Returns the choice, or the other batch's: drawn choices are public, and a
// replay follows the same ones in both worlds.
template <typename Choice>
Choice SameChoice(Choice choice, Rng& rng) {
  return static_cast<Choice>(
      rng.Private("choice", static_cast<std::int64_t>(choice),
                  std::numeric_limits<std::int64_t>::max()));
}
Split SameChoice(Split split, Rng& rng);

}  // namespace sotto
