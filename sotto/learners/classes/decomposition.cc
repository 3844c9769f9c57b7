#include "sotto/learners/classes/decomposition.h"

#include <algorithm>
#include <array>

namespace sotto {
namespace {

FiniteClass::Set Half(const LittlestoneDimension& dimension,
                      const FiniteClass::Set& set, std::size_t point,
                      bool label) {
  return Restrict(dimension.functions(), set, point, label);
}

}  // namespace

std::size_t DecompositionTree::leaves() const {
  return static_cast<std::size_t>(
      std::count_if(nodes.begin(), nodes.end(),
                    [](const Node& node) { return node.leaf(); }));
}

int DecompositionTree::degree() const {
  int degree = 0;
  for (const Node& node : nodes) {
    if (node.leaf()) degree = std::max(degree, node.dimension);
  }
  return degree;
}

bool Decomposition::NodeMayBe(int dimension, std::uint64_t depth) const {
  return depth <=
         params_.p * ((std::uint64_t{2} << (params_.d - dimension)) - 1);
}

bool Decomposition::LeafMayBe(const FiniteClass::Set& set, int dimension,
                              std::uint64_t depth) {
  const std::uint64_t power = std::uint64_t{1} << (params_.d - dimension);
  return depth <= params_.p * (power - 1) &&
         irreducibility_.IsIrreducible(set, params_.p * power);
}

void Decomposition::Forbid(std::optional<Labels> labels) {
  forbidden_ = std::move(labels);
  known_.clear();
}

bool Decomposition::LeafIsAllowed(const FiniteClass::Set& set, int dimension,
                                  std::uint64_t depth, int degree) {
  if (dimension > degree || !LeafMayBe(set, dimension, depth)) return false;
  return !forbidden_ || dimension < top_ ||
         dimension_->OptimalLabels(set) != *forbidden_;
}

// A tree for a set at some depth is one at any smaller depth: the definition
// only bounds depths from above.
bool Decomposition::Feasible(const FiniteClass::Set& set, std::uint64_t depth,
                             int degree) {
  if (CountMembers(set) == 0) return true;
  const int dimension = dimension_->Of(set);
  if (!NodeMayBe(dimension, depth)) return false;
  const auto at = static_cast<std::int64_t>(depth);
  const auto key = std::pair(set, degree);
  const Known known = known_[key];
  if (at <= known.feasible) return true;
  if (at >= known.infeasible) return false;
  const std::size_t root = Root(set, dimension, depth, degree);
  Known& learned = known_[key];
  if (root == kLeaf - 1) {
    learned.infeasible = std::min(learned.infeasible, at);
    return false;
  }
  if (at > learned.feasible) {
    learned.feasible = at;
    learned.point = root;
  }
  return true;
}

// The point of the root, kLeaf, or kLeaf - 1 if there is no tree.
std::size_t Decomposition::Root(const FiniteClass::Set& set, int dimension,
                                std::uint64_t depth, int degree) {
  if (LeafIsAllowed(set, dimension, depth, degree)) return kLeaf;
  for (std::size_t x = 0; x < dimension_->functions().points(); ++x) {
    const auto zeros = Half(*dimension_, set, x, false);
    if (zeros == set || CountMembers(zeros) == 0) continue;
    if (Feasible(zeros, depth + 1, degree) &&
        Feasible(Half(*dimension_, set, x, true), depth + 1, degree)) {
      return x;
    }
  }
  return kLeaf - 1;
}

int Decomposition::Dimension(const FiniteClass::Set& set) {
  int degree = 0;
  while (!Feasible(set, 0, degree)) ++degree;
  return degree;
}

int Decomposition::AddNode(const FiniteClass::Set& set, std::uint64_t depth,
                           DecompositionTree& tree) {
  tree.nodes.push_back(
      {.set = set, .dimension = dimension_->Of(set), .depth = depth});
  return static_cast<int>(tree.nodes.size()) - 1;
}

// Requires that the set is feasible there.
int Decomposition::Build(const FiniteClass::Set& set, std::uint64_t depth,
                         int degree, DecompositionTree& tree) {
  if (CountMembers(set) == 0) return -1;
  const int node = AddNode(set, depth, tree);
  Feasible(set, depth, degree);
  const std::size_t point = known_[std::pair(set, degree)].point;
  if (point == kLeaf) return node;
  const int zero =
      Build(Half(*dimension_, set, point, false), depth + 1, degree, tree);
  const int one =
      Build(Half(*dimension_, set, point, true), depth + 1, degree, tree);
  auto& made = tree.nodes[static_cast<std::size_t>(node)];
  made.point = point;
  made.zero = zero;
  made.one = one;
  return node;
}

DecompositionTree Decomposition::Optimal(const FiniteClass::Set& set) {
  DecompositionTree tree;
  Build(set, 0, Dimension(set), tree);
  return tree;
}

std::optional<Irreducibility::Witness> Decomposition::WitnessFor(
    const FiniteClass::Set& set, std::uint64_t most) {
  if (!quick_) return irreducibility_.Reduces(set, most);
  if (dimension_->Of(set) <= 0) return std::nullopt;
  auto witness = irreducibility_.ReducesGreedily(set);
  if (witness && witness->size() <= most) return witness;
  return std::nullopt;
}

// Claim 4.1: follow a witness along the optimal labels; functions that leave
// the path have a smaller dimension and start again, and so does its end.
int Decomposition::GrowGreedily(const FiniteClass::Set& set,
                                std::uint64_t depth,
                                Irreducibility::Witness path,
                                DecompositionTree& tree) {
  if (CountMembers(set) == 0) return -1;
  const int node = AddNode(set, depth, tree);
  const int dimension = tree.nodes[static_cast<std::size_t>(node)].dimension;
  if (path.empty()) {
    const std::uint64_t most = params_.p << (params_.d - dimension);
    auto witness = WitnessFor(set, most);
    if (!witness) return node;
    path = *std::move(witness);
  }
  const std::size_t point = path.front();
  path.erase(path.begin());
  std::array<int, 2> children{};
  for (const bool label : {false, true}) {
    const auto half = Half(*dimension_, set, point, label);
    const bool same = dimension_->Of(half) == dimension;
    children[label ? 1 : 0] = GrowGreedily(
        half, depth + 1, same ? path : Irreducibility::Witness{}, tree);
  }
  auto& made = tree.nodes[static_cast<std::size_t>(node)];
  made.point = point;
  made.zero = children[0];
  made.one = children[1];
  return node;
}

DecompositionTree Decomposition::Greedy(const FiniteClass::Set& set) {
  DecompositionTree tree;
  GrowGreedily(set, 0, {}, tree);
  return tree;
}

DecompositionTree Decomposition::Quick(const FiniteClass::Set& set) {
  quick_ = true;
  DecompositionTree tree = Greedy(set);
  quick_ = false;
  return tree;
}

std::vector<Decomposition::Labels> Decomposition::TopLabels(
    const DecompositionTree& tree, std::size_t most) {
  std::vector<Labels> labels;
  const int top = tree.degree();
  for (const auto& node : tree.nodes) {
    if (!node.leaf() || node.dimension != top) continue;
    Labels found = dimension_->OptimalLabels(node.set);
    if (std::find(labels.begin(), labels.end(), found) == labels.end()) {
      labels.push_back(std::move(found));
    }
  }
  // A public order, so that the truncated list is a function of the set alone.
  std::sort(labels.begin(), labels.end());
  if (labels.size() > most) labels.resize(most);
  return labels;
}

// Labels in every optimal tree are in this one.
std::vector<Decomposition::Labels> Decomposition::Essential(
    const FiniteClass::Set& set) {
  const DecompositionTree tree = Optimal(set);
  top_ = tree.degree();
  std::vector<Labels> essential;
  for (Labels& labels : TopLabels(tree, tree.nodes.size())) {
    Forbid(labels);
    if (!Feasible(set, 0, top_)) essential.push_back(std::move(labels));
  }
  Forbid(std::nullopt);
  return essential;
}

}  // namespace sotto
