#include "sotto/learners/classes/known_dimensions.h"

#include <algorithm>

namespace sotto {

std::size_t KnownDimensions::Hash::operator()(
    const FiniteClass::Set& set) const {
  std::uint64_t hash = 0x9e3779b97f4a7c15;
  for (const std::uint64_t word : set) {
    hash = (hash ^ word) * 0xff51afd7ed558ccd;
    hash ^= hash >> 29;
  }
  return hash * 0xc4ceb9fe1a85ec53;
}

KnownDimensions::Known KnownDimensions::Find(
    const FiniteClass::Set& set) const {
  const Shard& shard = FindShard(set);
  const std::lock_guard lock(shard.mutex);
  const auto place = shard.known.find(set);
  return place == shard.known.end() ? Known{} : place->second;
}

void KnownDimensions::Note(const FiniteClass::Set& set, int depth,
                           bool at_least) {
  constexpr std::size_t kOverhead = 64;  // of an entry, about
  Shard& shard = FindShard(set);
  const std::lock_guard lock(shard.mutex);
  const std::size_t most =
      kMaxBytes / kShards / (set.size() * sizeof(set[0]) + kOverhead);
  auto place = shard.known.find(set);
  if (place == shard.known.end()) {
    if (shard.known.size() >= most) return;
    place = shard.known.emplace(set, Known{}).first;
  }
  Known& known = place->second;
  if (at_least) {
    known.low = std::max(known.low, depth);
  } else {
    known.high = std::min(known.high, depth);
  }
}

}  // namespace sotto
