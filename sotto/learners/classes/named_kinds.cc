#include <bit>
#include <memory>
#include <utility>

#include "sotto/learners/classes/named_class.h"

namespace sotto {
namespace {

using Sides = std::span<const std::uint64_t>;

constexpr std::uint64_t kMost = std::uint64_t{1} << 53;

// A complete tree in which all nodes of a level ask the same point.
MistakeTree LevelTree(int depth, std::uint64_t (*point)(int depth, int level)) {
  MistakeTree tree{.depth = depth};
  for (int level = 0; level < depth; ++level) {
    tree.points.insert(tree.points.end(), std::size_t{1} << level,
                       point(depth, level));
  }
  return tree;
}

Result<NamedClass> Points(Sides sides) {
  const std::uint64_t n = sides[0];
  NamedClass made{
      .size = n,
      .points = n,
      .rule = [](std::uint64_t h, std::uint64_t x) { return h == x; },
      .dimension = n == 1 ? 0 : 1};
  made.tree = [n] {
    if (n == 1) return MistakeTree{.depth = 0, .leaves = {0}};
    return MistakeTree{.depth = 1, .points = {0}, .leaves = {1, 0}};
  };
  return made;
}

// Binary search among the first 2^depth functions.
MistakeTree ThresholdTree(int depth) {
  MistakeTree tree{.depth = depth};
  for (int level = 0; level < depth; ++level) {
    const std::uint64_t width = std::uint64_t{1} << (depth - level);
    for (std::uint64_t node = std::uint64_t{1} << level; node-- > 0;) {
      tree.points.push_back(node * width + width / 2 - 1);
    }
  }
  for (std::uint64_t h = std::uint64_t{1} << depth; h-- > 0;) {
    tree.leaves.push_back(h);
  }
  return tree;
}

Result<NamedClass> Thresholds(Sides sides) {
  const std::uint64_t n = sides[0];
  NamedClass made{
      .size = n + 1,
      .points = n,
      .rule = [](std::uint64_t h, std::uint64_t x) { return x >= h; },
      .dimension = std::bit_width(n + 1) - 1};
  made.tree = [depth = *made.dimension] { return ThresholdTree(depth); };
  return made;
}

Result<std::uint64_t> Product(Sides sides, std::uint64_t (*of)(std::uint64_t)) {
  std::uint64_t product = 1;
  for (const std::uint64_t side : sides) {
    if (side > (1U << 26) || of(side) > kMost / product) {
      return InvalidArgument("the grid is too large");
    }
    product *= of(side);
  }
  return product;
}

// The h-th pair low <= high below `side`, by high and then low.
std::pair<std::uint64_t, std::uint64_t> MakePair(std::uint64_t h,
                                                 std::uint64_t side) {
  std::uint64_t below = 0;
  std::uint64_t above = side - 1;
  while (below < above) {
    const std::uint64_t middle = (below + above) / 2;
    if ((middle + 1) * (middle + 2) / 2 > h) {
      above = middle;
    } else {
      below = middle + 1;
    }
  }
  return {h - below * (below + 1) / 2, below};
}

// Function 0 is 0 everywhere; the others are 1 on a box.
bool InBox(const std::vector<std::uint64_t>& sides, std::uint64_t h,
           std::uint64_t x) {
  if (h == 0) return false;
  --h;
  for (const std::uint64_t side : sides) {
    const std::uint64_t pairs = side * (side + 1) / 2;
    const auto [low, high] = MakePair(h % pairs, side);
    const std::uint64_t at = x % side;
    if (at < low || at > high) return false;
    h /= pairs;
    x /= side;
  }
  return true;
}

Result<NamedClass> Rectangles(Sides sides) {
  const auto boxes =
      Product(sides, [](std::uint64_t n) { return n * (n + 1) / 2; });
  if (!boxes) return boxes.error();
  const auto points = Product(sides, [](std::uint64_t n) { return n; });
  if (!points) return points.error();
  NamedClass made{.size = *boxes + 1, .points = *points};
  made.rule = [grid = std::vector(sides.begin(), sides.end())](
                  std::uint64_t h, std::uint64_t x) {
    return InBox(grid, h, x);
  };
  return made;
}

// Function 0 is 0, function 1 is 1 everywhere; then for each axis and each
// value but its first: 1 from there on, and 1 below it.
bool IsStumped(const std::vector<std::uint64_t>& sides, std::uint64_t h,
               std::uint64_t x) {
  if (h < 2) return h == 1;
  h -= 2;
  for (const std::uint64_t side : sides) {
    if (h < 2 * (side - 1)) {
      return (x % side >= h / 2 + 1) == (h % 2 == 0);
    }
    h -= 2 * (side - 1);
    x /= side;
  }
  return false;
}

Result<NamedClass> Stumps(Sides sides) {
  const auto points = Product(sides, [](std::uint64_t n) { return n; });
  if (!points) return points.error();
  NamedClass made{.size = 2, .points = *points};
  for (const std::uint64_t side : sides) made.size += 2 * (side - 1);
  made.rule = [grid = std::vector(sides.begin(), sides.end())](
                  std::uint64_t h, std::uint64_t x) {
    return IsStumped(grid, h, x);
  };
  return made;
}

constexpr std::uint64_t kMaxVariables = 30;

Error TooManyVariables() {
  return InvalidArgument("conjunctions are of at most 30 variables");
}

// The digits of h, base 3: a variable is absent, wanted, or wanted not.
Result<NamedClass> Conjunctions(Sides sides) {
  const std::uint64_t k = sides[0];
  if (k > kMaxVariables) return TooManyVariables();
  NamedClass made{.size = 1, .points = std::uint64_t{1} << k};
  for (std::uint64_t i = 0; i < k; ++i) made.size *= 3;
  made.rule = [](std::uint64_t h, std::uint64_t x) {
    for (; h > 0; h /= 3, x /= 2) {
      if (h % 3 != 0 && (h % 3 == 1) != (x % 2 == 1)) return false;
    }
    return true;
  };
  if (k == 1) made.dimension = 1;
  if (k >= 3) made.dimension = static_cast<int>(k) + 1;
  return made;
}

Result<NamedClass> MonotoneConjunctions(Sides sides) {
  const std::uint64_t k = sides[0];
  if (k > kMaxVariables) return TooManyVariables();
  const auto all = std::uint64_t{1} << k;
  NamedClass made{
      .size = all,
      .points = all,
      .rule = [](std::uint64_t h, std::uint64_t x) { return (x & h) == h; },
      .dimension = static_cast<int>(k)};
  // Level i asks the point that lacks variable i alone: 0 if that is wanted.
  made.tree = [depth = static_cast<int>(k), all] {
    MistakeTree tree = LevelTree(depth, [](int variables, int level) {
      const auto last = variables - 1 - level;
      return (std::uint64_t{1} << variables) - 1 - (std::uint64_t{1} << last);
    });
    for (std::uint64_t h = all; h-- > 0;) tree.leaves.push_back(h);
    return tree;
  };
  return made;
}

}  // namespace

const std::vector<NamedKind>& NamedKinds() {
  static const std::vector<NamedKind> kKinds = {
      {"points", "N", "1 on one of N points", Points},
      {"thresholds", "N", "1 from one of N points on, or nowhere", Thresholds},
      {"intervals", "N", "1 on an interval of N points, or nowhere",
       Rectangles},
      {"conjunctions", "K", "of variables and their negations, K variables",
       Conjunctions},
      {"monotone-conjunctions", "K", "of variables, K of them",
       MonotoneConjunctions},
      {"stumps", "AxBx...", "1 on one side of a value of one axis of a grid",
       Stumps, true},
      {"rectangles", "AxBx...", "1 on a box of a grid, or nowhere", Rectangles,
       true}};
  return kKinds;
}

}  // namespace sotto
