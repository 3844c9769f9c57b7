#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "sotto/learners/classes/finite_class.h"
#include "sotto/learners/classes/known_dimensions.h"
#include "sotto/learners/classes/mistake_tree.h"
#include "sotto/learners/classes/small_class.h"

namespace sotto {

// The Littlestone dimension of subsets of one finite class, exactly: the depth
// of the deepest complete tree of points on which every path of labels is that
// of some function; -1 for an empty set.
//
//   LittlestoneDimension dimension(functions);
//   int d = dimension.Of(functions.All());
//
// Caches its results, which are pure functions of the class and the subset.
// Keep it local to one computation: if learners share it, the time of one
// depends on the data of another. For large classes see dimension_search.h.
//
// Proof: classes.md.
// Threads: not thread-safe. The class must outlive it.
class LittlestoneDimension {
 public:
  struct Options {
    // Stops after this many nodes.
    std::uint64_t max_nodes = std::numeric_limits<std::uint64_t>::max();
    // Maximum size of packed sets: 0 to 64 functions.
    std::size_t packed = SmallClass::kMaxSize;
    // Searches that share results visit points in different orders.
    std::size_t order = 0;
    std::shared_ptr<KnownDimensions> known = nullptr;  // of this class
    const std::atomic<bool>* stop = nullptr;
  };
  explicit LittlestoneDimension(const FiniteClass& functions)
      : LittlestoneDimension(functions, Options{}) {}
  LittlestoneDimension(const FiniteClass& functions, const Options& options);

  int Of(const FiniteClass::Set& set);
  Answer AtLeast(const FiniteClass::Set& set, int depth);
  // The prediction of the standard optimal algorithm at each point: the label
  // that leaves the larger dimension, 0 if equal.
  std::vector<bool> OptimalLabels(const FiniteClass::Set& set);
  // Requires that the set has at least that dimension. Has no node limit.
  MistakeTree Tree(const FiniteClass::Set& set, int depth);

  // True if the node limit was reached. Later answers may be too small.
  bool gave_up() const { return gave_up_; }
  std::uint64_t nodes() const { return budget_.spent; }
  void AllowNodes(std::uint64_t nodes) { budget_.left = nodes; }
  const FiniteClass& functions() const { return *functions_; }

 private:
  using Points = std::span<const std::uint32_t>;
  // A point whose two halves can be split further, and the points that still
  // split the set.
  struct Split {
    std::size_t larger = 0;  // functions in the larger half
    std::uint32_t point = 0;
  };
  struct Splits {
    std::vector<std::uint32_t> points = {};
    std::vector<Split> order = {};
  };

  Answer Decide(const FiniteClass::Set& set, int depth, Points points);
  Splits FindSplits(const FiniteClass::Set& set, int depth,
                    Points points) const;
  Answer AnySplit(const FiniteClass::Set& set, int depth, Points points,
                  std::uint32_t* found);
  Answer BothHalves(const FiniteClass::Set& set, int depth, std::uint32_t point,
                    Points points);
  void Grow(const FiniteClass::Set& set, int depth, std::uint64_t node,
            MistakeTree& tree);

  const FiniteClass* functions_;
  Options options_;
  NodeBudget budget_;
  std::vector<std::uint32_t> all_points_;
  bool gave_up_ = false;
};

}  // namespace sotto
