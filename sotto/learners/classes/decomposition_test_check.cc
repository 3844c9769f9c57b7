#include "sotto/learners/classes/decomposition_test_check.h"

#include <string>
#include <utility>
#include <vector>

#include "sotto/learners/classes/naive_dimension_test_oracle.h"

namespace sotto {
namespace {

// Checks by the definition, independently of the search code.
class Checker {
 public:
  Checker(const FiniteClass& functions, const Decomposition::Params& params)
      : functions_(&functions), params_(params) {}

  Status Node(const DecompositionTree::Node& node) const {
    const int dimension = NaiveDimension(*functions_, node.set);
    if (dimension != node.dimension) return Wrong("a dimension is wrong");
    const std::uint64_t power = std::uint64_t{1} << (params_.d - dimension);
    if (node.depth > params_.p * (2 * power - 1)) {
      return Wrong("a node is too deep");
    }
    if (!node.leaf()) return Ok();
    if (node.depth > params_.p * (power - 1))
      return Wrong("a leaf is too deep");
    if (Reducible(node.set, dimension, Cuts(node.set, dimension), 0,
                  params_.p * power)) {
      return Wrong("a leaf can be reduced");
    }
    return Ok();
  }

  static Error Wrong(const std::string& what) { return InvalidArgument(what); }

 private:
  // The functions left by each point with its optimal label. A point at which
  // both labels lower the dimension reduces by itself, with either label.
  std::vector<FiniteClass::Set> Cuts(const FiniteClass::Set& set,
                                     int dimension) const {
    std::vector<FiniteClass::Set> cuts;
    for (std::size_t x = 0; x < functions_->points(); ++x) {
      auto zeros = Restrict(*functions_, set, x, false);
      cuts.push_back(NaiveDimension(*functions_, zeros) == dimension
                         ? std::move(zeros)
                         : Restrict(*functions_, set, x, true));
    }
    return cuts;
  }

  bool Reducible(const FiniteClass::Set& left, int dimension,
                 const std::vector<FiniteClass::Set>& cuts, std::size_t from,
                 std::uint64_t points) const {
    if (NaiveDimension(*functions_, left) < dimension) return true;
    if (points == 0 || from == cuts.size()) return false;
    FiniteClass::Set with = left;
    for (std::size_t i = 0; i < with.size(); ++i) with[i] &= cuts[from][i];
    return Reducible(with, dimension, cuts, from + 1, points - 1) ||
           Reducible(left, dimension, cuts, from + 1, points);
  }

  const FiniteClass* functions_;
  Decomposition::Params params_;
};

bool IsChild(const DecompositionTree& tree, const DecompositionTree::Node& node,
             int child, const FiniteClass::Set& set) {
  if (child < 0) return CountMembers(set) == 0;
  const auto index = static_cast<std::size_t>(child);
  return index < tree.nodes.size() && tree.nodes[index].set == set &&
         tree.nodes[index].depth == node.depth + 1;
}

}  // namespace

Status CheckDecomposition(const FiniteClass& functions,
                          const FiniteClass::Set& set,
                          const DecompositionTree& tree,
                          const Decomposition::Params& params) {
  if (tree.nodes.empty() || tree.nodes[0].set != set ||
      tree.nodes[0].depth != 0) {
    return Checker::Wrong("the root is not the set");
  }
  const Checker checker(functions, params);
  for (const auto& node : tree.nodes) {
    SOTTO_TRY(checker.Node(node));
    if (node.leaf()) continue;
    if (!IsChild(tree, node, node.zero,
                 Restrict(functions, node.set, node.point, false)) ||
        !IsChild(tree, node, node.one,
                 Restrict(functions, node.set, node.point, true))) {
      return Checker::Wrong("a child is not what its label leaves");
    }
  }
  return Ok();
}

}  // namespace sotto
