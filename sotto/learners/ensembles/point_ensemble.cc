#include "sotto/learners/ensembles/point_ensemble.h"

#include <bit>
#include <random>

namespace sotto {
namespace {

std::uint64_t Bits(double point) {
  return std::bit_cast<std::uint64_t>(point + 0.0);  // -0 and 0 are equal.
}

std::uint64_t SystemWord() {
  std::random_device device;
  return std::uint64_t{device()} << 32 | device();
}

}  // namespace

PointIndex::PointIndex(const std::vector<Key>& keys)
    : counts_(0, Hash{SystemWord(), SystemWord() | 1}) {
  for (const Key& key : keys) {
    if (key) Add(*key);
  }
}

void PointIndex::Add(double point) { ++counts_[Bits(point)]; }

std::int64_t PointIndex::Count(FeatureView x) const {
  const auto place = counts_.find(Bits(ValueAt(x, 0)));
  return place == counts_.end() ? 0 : place->second;
}

void PointIndex::Replace(const Key& before, const Key& after) {
  if (after) Add(*after);
  if (!before) return;
  const auto place = counts_.find(Bits(*before));
  if (--place->second == 0) counts_.erase(place);
}

std::size_t PointIndex::memory_bytes() const {
  // A node has a link, the pair and the cached hash.
  constexpr std::size_t kNode = 4 * sizeof(void*);
  return counts_.bucket_count() * sizeof(void*) + counts_.size() * kNode;
}

}  // namespace sotto
