#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "sotto/learners/classes/irreducibility.h"
#include "sotto/learners/classes/littlestone_dimension.h"

namespace sotto {

// A binary tree of points that splits a set of functions into irreducible sets.
// A child without functions is omitted.
struct DecompositionTree {
  struct Node {
    FiniteClass::Set set = {};
    int dimension = 0;
    std::uint64_t depth = 0;
    std::size_t point = 0;  // of an inner node
    int zero = -1;          // the child where the point is labelled 0, or -1
    int one = -1;
    bool leaf() const { return zero < 0 && one < 0; }
  };
  std::vector<Node> nodes = {};  // the first is the root

  std::size_t leaves() const;
  // The largest dimension of a leaf.
  int degree() const;
};

// Valid and optimal (p, d)-decompositions of subsets of a class of dimension at
// most d, the decomposition dimension and essential hypotheses.
//
//   Decomposition decomposition(dimension, {.p = 2, .d = 3});
//   int degree = decomposition.Dimension(functions.All());
//   auto essential = decomposition.Essential(functions.All());
//
// Exact, by trying all trees: for classes of about 30 functions.
//
// Paper:   [Littlestone] Definitions 4.2 and 4.3, Claim 4.1.
// Proof:   classes.md, steps 8 to 12.
// Threads: not thread-safe. The dimension must outlive it and have no node
// limit.
class Decomposition {
 public:
  struct Params {
    std::uint64_t p = 1;  // 1 to 2^20
    int d = 0;            // 0 to 20, at least the dimension of every set given
  };
  using Labels = std::vector<bool>;  // a function, on all points

  Decomposition(LittlestoneDimension& dimension, const Params& params)
      : dimension_(&dimension), irreducibility_(dimension), params_(params) {}

  // The least degree of a valid decomposition.
  int Dimension(const FiniteClass::Set& set);
  DecompositionTree Optimal(const FiniteClass::Set& set);
  // Valid: reduces as long as possible. Its degree is an upper bound.
  DecompositionTree Greedy(const FiniteClass::Set& set);
  // The same with witnesses that are quick to find. If only other witnesses
  // exist, its leaves are reducible and the tree is not valid.
  DecompositionTree Quick(const FiniteClass::Set& set);
  // The optimal labels of leaves of the largest dimension that occur in every
  // optimal decomposition.
  std::vector<Labels> Essential(const FiniteClass::Set& set);
  // The same for one tree, at most `most` labels: a substitute where the exact
  // list is too expensive. It may contain more functions or fewer; no guarantee
  // of the paper is known for it.
  std::vector<Labels> TopLabels(const DecompositionTree& tree,
                                std::size_t most);

  // Depths and leaves that Definition 4.2 allows.
  bool NodeMayBe(int dimension, std::uint64_t depth) const;
  bool LeafMayBe(const FiniteClass::Set& set, int dimension,
                 std::uint64_t depth);

 private:
  // Known depths for trees of a set: feasible down to one depth, infeasible
  // from another on.
  struct Known {
    std::int64_t feasible = -1;
    std::int64_t infeasible = std::int64_t{1} << 60;
    std::size_t point = 0;  // of the root at `feasible`; leaf: kLeaf
  };
  static constexpr std::size_t kLeaf = static_cast<std::size_t>(-1);

  bool Feasible(const FiniteClass::Set& set, std::uint64_t depth, int degree);
  std::size_t Root(const FiniteClass::Set& set, int dimension,
                   std::uint64_t depth, int degree);
  bool LeafIsAllowed(const FiniteClass::Set& set, int dimension,
                     std::uint64_t depth, int degree);
  int Build(const FiniteClass::Set& set, std::uint64_t depth, int degree,
            DecompositionTree& tree);
  int AddNode(const FiniteClass::Set& set, std::uint64_t depth,
              DecompositionTree& tree);
  int GrowGreedily(const FiniteClass::Set& set, std::uint64_t depth,
                   Irreducibility::Witness path, DecompositionTree& tree);
  std::optional<Irreducibility::Witness> WitnessFor(const FiniteClass::Set& set,
                                                    std::uint64_t most);
  void Forbid(std::optional<Labels> labels);

  LittlestoneDimension* dimension_;
  Irreducibility irreducibility_;
  Params params_;
  std::map<std::pair<FiniteClass::Set, int>, Known> known_;
  std::optional<Labels>
      forbidden_;       // of top leaves, in a search for essentials
  int top_ = 0;         // their dimension
  bool quick_ = false;  // while Quick grows a tree
};

}  // namespace sotto
