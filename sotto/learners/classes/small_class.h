#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sotto/learners/classes/finite_class.h"

namespace sotto {

// Answer to a question about a dimension. Unknown if the search reached its
// limit.
enum class Answer : std::uint8_t { kNo, kYes, kUnknown };

// Remaining work of a search, in nodes: sets whose points were visited. Setting
// `stop` ends it earlier.
struct NodeBudget {
  std::uint64_t left = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t spent = 0;
  const std::atomic<bool>* stop = nullptr;

  bool Spend() {
    if (Over()) return false;
    --left;
    ++spent;
    return true;
  }
  bool Over() const { return left == 0 || (stop != nullptr && stop->load()); }
};

// A set of at most 64 functions of a class, packed: a set of them is one word,
// and points with the same split, or without one, are merged.
//
//   SmallClass few(functions, set, points);
//   Answer answer = few.AtLeast(3, budget);
//
// Proof:   classes.md, steps 1 and 2.
// Threads: not thread-safe.
class SmallClass {
 public:
  static constexpr std::size_t kMaxSize = 64;

  // Uses only the given points.
  SmallClass(const FiniteClass& functions, const FiniteClass::Set& set,
             std::span<const std::uint32_t> points);

  // Decides if the Littlestone dimension is at least `depth`.
  Answer AtLeast(int depth, NodeBudget& budget) {
    return Decide(all_, depth, budget);
  }

 private:
  struct Known {
    std::int8_t low = 0;
    std::int8_t high = 64;
  };

  Answer Decide(std::uint64_t set, int depth, NodeBudget& budget);
  Answer Splits(std::uint64_t set, int depth, NodeBudget& budget);
  bool HasTwoLevels(std::uint64_t set) const;

  std::uint64_t all_ = 0;
  std::vector<std::uint64_t> columns_;
  std::unordered_map<std::uint64_t, Known> known_;
};

}  // namespace sotto
