#include "sotto/learners/classes/littlestone_dimension.h"

#include <algorithm>
#include <bit>
#include <numeric>

namespace sotto {

LittlestoneDimension::LittlestoneDimension(const FiniteClass& functions,
                                           const Options& options)
    : functions_(&functions),
      options_(options),
      budget_{.left = options.max_nodes, .stop = options.stop},
      all_points_(functions.points()) {
  std::iota(all_points_.begin(), all_points_.end(), 0U);
  if (!options_.known) options_.known = std::make_shared<KnownDimensions>();
}

int LittlestoneDimension::Of(const FiniteClass::Set& set) {
  int depth = -1;
  while (AtLeast(set, depth + 1) == Answer::kYes) ++depth;
  return depth;
}

Answer LittlestoneDimension::AtLeast(const FiniteClass::Set& set, int depth) {
  const Answer answer = Decide(set, depth, all_points_);
  gave_up_ = gave_up_ || answer == Answer::kUnknown;
  return answer;
}

std::vector<bool> LittlestoneDimension::OptimalLabels(
    const FiniteClass::Set& set) {
  const int dimension = Of(set);
  std::vector<bool> labels(functions_->points());
  for (std::size_t x = 0; x < labels.size(); ++x) {
    const auto zeros = Restrict(*functions_, set, x, false);
    if (AtLeast(zeros, dimension) == Answer::kYes) continue;
    const auto ones = Restrict(*functions_, set, x, true);
    labels[x] =
        AtLeast(ones, dimension) == Answer::kYes || Of(ones) > Of(zeros);
  }
  return labels;
}

// classes.md, steps 1 to 3.
Answer LittlestoneDimension::Decide(const FiniteClass::Set& set, int depth,
                                    Points points) {
  const std::size_t count = CountMembers(set);
  if (depth <= 0) return depth < 0 || count > 0 ? Answer::kYes : Answer::kNo;
  // A complete tree of this depth has 2^depth leaves, each with a different
  // function.
  if (depth >= 63 || count < std::size_t{1} << depth) return Answer::kNo;
  // Two different functions differ at a point. FiniteClass has no two equal.
  if (depth == 1) return Answer::kYes;
  const KnownDimensions::Known known = options_.known->Find(set);
  if (depth <= known.low) return Answer::kYes;
  if (depth >= known.high) return Answer::kNo;
  if (!budget_.Spend()) return Answer::kUnknown;
  const Answer answer =
      count <= options_.packed
          ? SmallClass(*functions_, set, points).AtLeast(depth, budget_)
          : AnySplit(set, depth, points, nullptr);
  if (answer != Answer::kUnknown) {
    options_.known->Note(set, depth, answer == Answer::kYes);
  }
  return answer;
}

LittlestoneDimension::Splits LittlestoneDimension::FindSplits(
    const FiniteClass::Set& set, int depth, Points points) const {
  const std::size_t needed = std::size_t{1} << (depth - 1);
  const std::size_t count = CountMembers(set);
  std::vector<std::size_t> words;
  for (std::size_t i = 0; i < set.size(); ++i) {
    if (set[i] != 0) words.push_back(i);
  }
  Splits splits;
  for (const std::uint32_t x : points) {
    const FiniteClass::Set& column = functions_->Ones(x);
    std::size_t ones = 0;
    for (const std::size_t i : words) {
      ones += static_cast<std::size_t>(std::popcount(set[i] & column[i]));
    }
    const std::size_t smaller = std::min(ones, count - ones);
    if (smaller > 0) splits.points.push_back(x);
    if (smaller >= needed) splits.order.push_back({count - smaller, x});
  }
  // The most balanced points first: they succeed most often.
  std::stable_sort(
      splits.order.begin(), splits.order.end(),
      [](const Split& a, const Split& b) { return a.larger < b.larger; });
  return splits;
}

// Looks for a point whose two halves can be split further.
Answer LittlestoneDimension::AnySplit(const FiniteClass::Set& set, int depth,
                                      Points points, std::uint32_t* found) {
  Splits splits = FindSplits(set, depth, points);
  // The points of a path are different.
  if (splits.points.size() < static_cast<std::size_t>(depth)) {
    return Answer::kNo;
  }
  if (splits.order.empty()) return Answer::kNo;
  const std::size_t first = options_.order % splits.order.size();
  std::rotate(splits.order.begin(),
              splits.order.begin() + static_cast<std::ptrdiff_t>(first),
              splits.order.end());
  for (const Split& split : splits.order) {
    const Answer answer = BothHalves(set, depth, split.point, splits.points);
    if (answer == Answer::kNo) continue;
    if (found != nullptr) *found = split.point;
    return answer;
  }
  return Answer::kNo;
}

Answer LittlestoneDimension::BothHalves(const FiniteClass::Set& set, int depth,
                                        std::uint32_t point, Points points) {
  auto half = Restrict(*functions_, set, point, false);
  auto other = Restrict(*functions_, set, point, true);
  // The smaller fails more often, and sooner.
  if (CountMembers(half) > CountMembers(other)) std::swap(half, other);
  const Answer answer = Decide(half, depth - 1, points);
  return answer == Answer::kYes ? Decide(other, depth - 1, points) : answer;
}

MistakeTree LittlestoneDimension::Tree(const FiniteClass::Set& set, int depth) {
  const NodeBudget kept = budget_;
  budget_ = {};
  MistakeTree tree{.depth = depth};
  tree.leaves.resize(std::size_t{1} << depth);
  tree.points.resize(tree.leaves.size() - 1);
  Grow(set, depth, 0, tree);
  budget_ = kept;
  return tree;
}

void LittlestoneDimension::Grow(const FiniteClass::Set& set, int depth,
                                std::uint64_t node, MistakeTree& tree) {
  if (depth == 0) {
    tree.leaves[node - tree.points.size()] = FindFirst(set);
    return;
  }
  std::uint32_t point = 0;
  AnySplit(set, depth, all_points_, &point);
  tree.points[node] = point;
  Grow(Restrict(*functions_, set, point, false), depth - 1, 2 * node + 1, tree);
  Grow(Restrict(*functions_, set, point, true), depth - 1, 2 * node + 2, tree);
}

}  // namespace sotto
