#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "sotto/learners/classes/finite_class.h"
#include "sotto/learners/classes/mistake_tree.h"

namespace sotto {

// Proved bounds of a Littlestone dimension: lo <= dimension <= hi.
struct DimensionBounds {
  int lo = 0;
  int hi = 0;
  std::uint64_t nodes = 0;
  // A tree of depth lo: the proof of the lower bound, for CheckMistakeTree. The
  // upper bound was refuted point by point, or has too few functions for its
  // leaves.
  MistakeTree tree = {};
};

struct DimensionSearchOptions {
  std::uint64_t max_nodes = 20'000'000;  // of all threads, about
  std::size_t threads = 2;
  bool tree = true;  // build it
  // Called occasionally, by the calling thread.
  std::function<void(const DimensionBounds&)> progress = nullptr;
};

// Computes the Littlestone dimension of a class, or bounds of it if the nodes
// run out. The threads visit points in different orders and share results. A
// search that completes has lo = hi for any number of threads. The bounds of an
// incomplete search may differ from run to run unless there is one thread.
//
//   const DimensionBounds bounds = SearchDimension(functions);
//   if (bounds.lo == bounds.hi) ...
//
// Proof:   classes.md.
// Threads: a pure function that starts and joins its own threads.
DimensionBounds SearchDimension(const FiniteClass& functions,
                                const DimensionSearchOptions& options = {});

// Bounds that one thread proves in about a second, for plans. The same on every
// machine.
DimensionBounds QuickDimension(const FiniteClass& functions);

}  // namespace sotto
