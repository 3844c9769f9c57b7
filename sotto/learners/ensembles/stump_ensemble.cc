#include "sotto/learners/ensembles/stump_ensemble.h"

namespace sotto {

StumpIndex::StumpIndex(const std::vector<Key>& keys) {
  std::map<std::uint32_t, std::array<std::vector<double>, 2>> all;
  for (const Key& key : keys) {
    all[key.axis][key.above ? 1 : 0].push_back(key.threshold);
  }
  for (const auto& [axis, sides] : all) {
    axes_[axis] = {OrderStatistics(sides[0]), OrderStatistics(sides[1])};
  }
}

std::int64_t StumpIndex::Count(FeatureView x) const {
  std::int64_t votes = 0;
  for (const auto& [axis, sides] : axes_) {
    const double value = ValueAt(x, axis);
    votes += sides[0].size() - sides[0].CountUpTo(value);
    votes += sides[1].CountUpTo(value);
  }
  return votes;
}

void StumpIndex::Replace(const Key& before, const Key& after) {
  axes_[after.axis][after.above ? 1 : 0].Insert(after.threshold);
  const auto old = axes_.find(before.axis);
  old->second[before.above ? 1 : 0].Erase(before.threshold);
  if (old->second[0].size() + old->second[1].size() == 0) axes_.erase(old);
}

std::size_t StumpIndex::memory_bytes() const {
  // A node of the map has three pointers and a color before its value.
  std::size_t bytes = 0;
  for (const auto& axis : axes_) {
    bytes += sizeof(axis) + 4 * sizeof(void*) + axis.second[0].memory_bytes() +
             axis.second[1].memory_bytes();
  }
  return bytes;
}

}  // namespace sotto
