#include "sotto/learners/littlestone.h"

#include <algorithm>
#include <bit>
#include <tuple>
#include <vector>

namespace sotto {

int LittlestoneDimension::Of(const FiniteClass::Set& set) {
  if (CountOf(set) == 0) return -1;
  int depth = 0;
  while (AtLeast(set, depth + 1)) ++depth;
  return depth;
}

bool LittlestoneDimension::AtLeast(const FiniteClass::Set& set, int depth) {
  const std::size_t count = CountOf(set);
  if (depth <= 0) return count > 0;
  // A complete tree of this depth has 2^depth leaves, each of its own function.
  if (depth >= 63 || count < std::size_t{1} << depth) return false;
  // Two different functions differ at a point. FiniteClass has no two equal.
  if (depth == 1) return true;
  const auto place =
      known_.try_emplace(set, Known{1, static_cast<int>(std::bit_width(count))})
          .first;
  if (depth <= place->second.low) return true;
  if (depth >= place->second.high) return false;
  const std::uint64_t work = functions_->points() * set.size();
  if (work_left_ < work) {
    gave_up_ = true;
    return false;
  }
  work_left_ -= work;
  const bool found = Splits(set, depth);
  // What was found false after giving up is not known.
  if (gave_up_ && !found) return false;
  Known& known = place->second;
  (found ? known.low : known.high) = depth;
  return found;
}

// Is there a point that both halves can go on from? The most even first: they
// succeed most often.
bool LittlestoneDimension::Splits(const FiniteClass::Set& set, int depth) {
  const std::size_t needed = std::size_t{1} << (depth - 1);
  const std::size_t count = CountOf(set);
  std::vector<std::pair<std::size_t, std::size_t>> order;
  for (std::size_t x = 0; x < functions_->points(); ++x) {
    const FiniteClass::Set& column = functions_->Ones(x);
    std::size_t ones = 0;
    for (std::size_t i = 0; i < set.size(); ++i) {
      ones += static_cast<std::size_t>(std::popcount(set[i] & column[i]));
    }
    const std::size_t smaller = std::min(ones, count - ones);
    if (smaller >= needed) order.emplace_back(count - smaller, x);
  }
  std::sort(order.begin(), order.end());
  for (const auto& [larger, x] : order) {
    const auto zeros = Restrict(*functions_, set, x, false);
    const auto ones = Restrict(*functions_, set, x, true);
    const bool zeros_first = CountOf(zeros) <= CountOf(ones);
    if (AtLeast(zeros_first ? zeros : ones, depth - 1) &&
        AtLeast(zeros_first ? ones : zeros, depth - 1)) {
      return true;
    }
  }
  return false;
}

}  // namespace sotto
