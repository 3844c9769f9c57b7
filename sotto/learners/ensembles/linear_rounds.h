#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sotto/base/feature_view.h"
#include "sotto/learners/ensembles/ensemble.h"
#include "sotto/learners/ensembles/linear_kernel.h"

namespace sotto {

// The rounds of one batch, packed into tiles for the kernels of linear
// ensembles.
//
//   LinearRounds rounds(dimension); const std::size_t taken =
//   rounds.Pack(steps);  // number of steps for (const RoundTile& tile :
//   rounds.tiles()) ...
//
// A tile of eight rounds lists the features that any of them lists and fills
// with zeros; where that costs more than it saves, as for very sparse rounds,
// each round is its own tile. The bias is row `dimension` with value 1;
// features from `dimension` on are ignored.
//
// Threads: not thread-safe.
class LinearRounds {
 public:
  // Rounds at most in a batch: enough that streaming the weights through the
  // caches once a batch costs little, few enough that the packed rounds and
  // the corrections do as well.
  static constexpr std::size_t kMaxRounds = 256;
  // Maximum number of values in a batch (512 kB), so that wide rounds stay in
  // the cache too.
  static constexpr std::size_t kMaxValues = std::size_t{1} << 16;

  explicit LinearRounds(std::uint32_t dimension) : dimension_(dimension) {}

  // Replaces the batch by steps from the front; returns their number, at least
  // one. Requires !steps.empty().
  std::size_t Pack(std::span<const Ensemble::Step> steps);

  std::span<const RoundTile> tiles() const { return tiles_; }
  // The number of rounds.
  std::size_t size() const { return tile_of_.size(); }
  // The tile of a round.
  std::size_t tile_of(std::size_t round) const { return tile_of_[round]; }

 private:
  using Views = std::array<FeatureView, kRoundLanes>;

  void PackTogether(const Views& views, std::size_t rounds);
  void PackAlone(FeatureView x);
  void Merge(Views views, std::size_t rounds);
  void ShareRows();
  void Add(std::size_t lanes, std::size_t rounds);

  std::uint32_t dimension_;
  // Where the tile being packed begins in rows_ and values_.
  std::size_t rows_begin_ = 0;
  std::size_t values_begin_ = 0;
  std::vector<std::uint32_t> rows_;
  AlignedDoubles values_;
  std::vector<RoundTile> tiles_;
  // Offsets of each tile, until rows_ and values_ no longer move.
  std::vector<std::size_t> row_offsets_;
  std::vector<std::size_t> value_offsets_;
  std::vector<std::size_t> tile_of_;
};

}  // namespace sotto
