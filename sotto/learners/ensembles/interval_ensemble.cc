#include "sotto/learners/ensembles/interval_ensemble.h"

namespace sotto {

IntervalIndex::IntervalIndex(const std::vector<Key>& keys) {
  std::vector<double> lowers;
  std::vector<double> uppers;
  for (const Key& key : keys) {
    if (key.empty()) continue;
    lowers.push_back(key.lower);
    uppers.push_back(key.upper);
  }
  lowers_ = OrderStatistics(lowers);
  uppers_ = OrderStatistics(uppers);
}

void IntervalIndex::Replace(const Key& before, const Key& after) {
  const auto replace = [&](OrderStatistics& ends, double Key::*end) {
    if (before.empty() && after.empty()) return;
    if (before.empty()) {
      ends.Insert(after.*end);
    } else if (after.empty()) {
      ends.Erase(before.*end);
    } else if (before.*end != after.*end) {
      ends.Replace(before.*end, after.*end);
    }
  };
  replace(lowers_, &Key::lower);
  replace(uppers_, &Key::upper);
}

}  // namespace sotto
