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
// of some function; -1 for no function at all.
//
//   LittlestoneDimension dimension(functions);
//   int d = dimension.Of(functions.All());
//
// It remembers what it has computed, as a pure function of the class and the
// subset. It is meant to be local to one computation: shared between learners
// it would let the time of one tell of the data of another. For a class that
// may be too large to be searched, dimension_search.h.
//
// Proof: classes.md.
// Threads: not thread-safe. The class must outlive it.
class LittlestoneDimension {
 public:
  struct Options {
    // Gives up after so many nodes.
    std::uint64_t max_nodes = std::numeric_limits<std::uint64_t>::max();
    // Sets of at most so many functions are packed: 0 to 64.
    std::size_t packed = SmallClass::kMaxSize;
    // Searches that share what they know go through points in other orders.
    std::size_t order = 0;
    std::shared_ptr<KnownDimensions> known = nullptr;  // of this class
    const std::atomic<bool>* stop = nullptr;
  };
  explicit LittlestoneDimension(const FiniteClass& functions)
      : LittlestoneDimension(functions, Options{}) {}
  LittlestoneDimension(const FiniteClass& functions, const Options& options);

  int Of(const FiniteClass::Set& set);
  Answer AtLeast(const FiniteClass::Set& set, int depth);
  // What the standard optimal algorithm says at each point: the label that
  // leaves the larger dimension, 0 if equal.
  std::vector<bool> OptimalLabels(const FiniteClass::Set& set);
  // Requires that the set has that dimension or a larger one; no budget counts.
  MistakeTree Tree(const FiniteClass::Set& set, int depth);

  // If so, answers since then may be too small.
  bool gave_up() const { return gave_up_; }
  std::uint64_t nodes() const { return budget_.spent; }
  void AllowNodes(std::uint64_t nodes) { budget_.left = nodes; }
  const FiniteClass& functions() const { return *functions_; }

 private:
  using Points = std::span<const std::uint32_t>;
  // A point that both halves can go on from, and the points that still split
  // the set.
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
