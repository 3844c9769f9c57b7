#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "sotto/learners/classes/finite_class.h"
#include "sotto/learners/classes/mistake_tree.h"

namespace sotto {

// What a search has proved of a Littlestone dimension: lo <= it <= hi.
struct DimensionBounds {
  int lo = 0;
  int hi = 0;
  std::uint64_t nodes = 0;
  // Whose depth is lo: the proof of that end, for CheckMistakeTree. The other
  // end was refuted point by point, or has too few functions for its leaves.
  MistakeTree tree = {};
};

struct DimensionSearchOptions {
  std::uint64_t max_nodes = 20'000'000;  // of all threads, about
  std::size_t threads = 2;
  bool tree = true;  // build it
  // Prediction now and then, by the calling thread.
  std::function<void(const DimensionBounds&)> progress = nullptr;
};

// The Littlestone dimension of a class, or what is proved of it when the nodes
// are used up. The threads go through points in different orders and share what
// they learn. A search that ends by itself has lo = hi, whatever the threads
// do; where it is cut short, the bounds may differ from run to run unless there
// is one thread.
//
//   const DimensionBounds bounds = SearchDimension(functions);
//   if (bounds.lo == bounds.hi) ...
//
// Proof:   classes.md.
// Threads: a pure function that starts threads of its own and joins them.
DimensionBounds SearchDimension(const FiniteClass& functions,
                                const DimensionSearchOptions& options = {});

// What about a second of one thread proves: for plans, which show it beside
// what is run. The same on every machine.
DimensionBounds QuickDimension(const FiniteClass& functions);

}  // namespace sotto
