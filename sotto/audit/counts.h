#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sotto/audit/transcript_features.h"
#include "sotto/base/json.h"
#include "sotto/base/result.h"

namespace sotto {

// The parts of the games. One half is counted and not used before. The other
// half chooses events: a quarter orders the bins by likelihood, a quarter
// chooses how many of them form the best event. (One part for both would
// overfit.)
enum class Part : std::uint8_t { kOrder, kChoose, kCount };
inline constexpr std::size_t kParts = 3;

// The number of games in each bin of each reading, by part and world. Counts of
// different threads and machines add up to those of one.
//
// Threads: not thread-safe.
class Counts {
 public:
  Counts()
      : cells_(
            TranscriptFeatures::kCount * kParts * 2 * TranscriptFeatures::kBins,
            0) {}

  void Add(Part part, bool world, const TranscriptFeatures::Bins& bins) {
    for (std::size_t r = 0; r < TranscriptFeatures::kCount; ++r) {
      ++cells_[Row(r, part, world) + bins[r]];
    }
    ++games_[static_cast<std::size_t>(part)][world ? 1 : 0];
  }
  void Add(const Counts& other);

  std::uint64_t games(Part part, bool world) const {
    return games_[static_cast<std::size_t>(part)][world ? 1 : 0];
  }
  std::span<const std::uint64_t> Of(std::size_t reading, Part part,
                                    bool world) const {
    return std::span(cells_).subspan(Row(reading, part, world),
                                     TranscriptFeatures::kBins);
  }

  // Bins that are not empty, for a file. Parse fails with kInvalidArgument.
  Json ToJson() const;
  static Result<Counts> FromJson(const Json& json);

 private:
  // True if each reading has put every game into one bin.
  bool AddsUp() const;
  static std::size_t Row(std::size_t reading, Part part, bool world) {
    return ((reading * kParts + static_cast<std::size_t>(part)) * 2 +
            (world ? 1 : 0)) *
           TranscriptFeatures::kBins;
  }

  std::vector<std::uint64_t> cells_;
  std::array<std::array<std::uint64_t, 2>, kParts> games_ = {};
};

}  // namespace sotto
