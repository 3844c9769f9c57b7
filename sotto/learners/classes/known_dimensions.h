#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <unordered_map>

#include "sotto/learners/classes/finite_class.h"

namespace sotto {

// Proved bounds of Littlestone dimensions of sets of functions of one class: at
// least low, and less than high.
//
// Sets are compared bit for bit. Beyond kMaxBytes nothing new is stored;
// answers stay right and take longer.
//
// Threads: thread-safe.
class KnownDimensions {
 public:
  struct Known {
    int low = 0;
    int high = 64;
  };
  static constexpr std::size_t kMaxBytes = std::size_t{1} << 29;

  Known Find(const FiniteClass::Set& set) const;
  // Records that the dimension is at least depth, or that it is less.
  void Note(const FiniteClass::Set& set, int depth, bool at_least);

 private:
  struct Hash {
    std::size_t operator()(const FiniteClass::Set& set) const;
  };
  struct Shard {
    mutable std::mutex mutex;
    std::unordered_map<FiniteClass::Set, Known, Hash> known;
  };
  static constexpr std::size_t kShards = 16;

  Shard& FindShard(const FiniteClass::Set& set) {
    return shards_[Hash()(set) >> 60];
  }
  const Shard& FindShard(const FiniteClass::Set& set) const {
    return shards_[Hash()(set) >> 60];
  }

  std::array<Shard, kShards> shards_;
};

}  // namespace sotto
