#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sotto/base/result.h"
#include "sotto/learners/classes/finite_class.h"

namespace sotto {

// A complete binary tree of points, each of whose paths of labels is that of a
// function of the class: a certificate that the Littlestone dimension is at
// least its depth, and a strategy that forces that many mistakes of any
// learner.
//
// Nodes are in the order of a heap: below node i are 2i + 1, where its point is
// labelled 0, and 2i + 2, where it is labelled 1. leaves[j] is the function of
// the j-th path, from the left.
struct MistakeTree {
  int depth = 0;
  std::vector<std::uint64_t> points = {};  // 2^depth - 1
  std::vector<std::uint64_t> leaves = {};  // 2^depth
};

// Checks the certificate for a class of `size` functions on `points` points
// with that rule. It uses labels only, and shares no code with the builders of
// trees. Fails with kInvalidArgument and names the fault.
Status CheckMistakeTree(const MistakeTree& tree, std::uint64_t size,
                        std::uint64_t points, const FiniteClass::Rule& rule);
Status CheckMistakeTree(const MistakeTree& tree, const FiniteClass& functions);

// Human-readable text, down to `levels` levels.
std::string TreeText(const MistakeTree& tree, int levels);
// Graphviz text.
std::string TreeDot(const MistakeTree& tree);

}  // namespace sotto
