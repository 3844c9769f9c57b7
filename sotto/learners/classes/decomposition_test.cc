#include "sotto/learners/classes/decomposition.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "sotto/learners/classes/classes_test_tools.h"
#include "sotto/learners/classes/decomposition_test_check.h"

namespace sotto {
namespace {

using Labels = Decomposition::Labels;

std::set<Labels> TopSet(Decomposition& decomposition,
                        const DecompositionTree& tree) {
  const auto labels = decomposition.TopLabels(tree, tree.nodes.size());
  return {labels.begin(), labels.end()};
}

std::set<Labels> EssentialSet(Decomposition& decomposition,
                              const FiniteClass::Set& set) {
  const auto labels = decomposition.Essential(set);
  return {labels.begin(), labels.end()};
}

// A random class with a (p, d) for it.
struct Case {
  FiniteClass functions;
  Decomposition::Params params;
};

Case RandomCase(ClassRng& rng, std::size_t most, std::size_t points) {
  FiniteClass functions =
      RandomClass(2 + rng() % (most - 1), points, rng, 1 + rng() % 4);
  LittlestoneDimension dimension(functions);
  const int d = dimension.Of(functions.All()) + static_cast<int>(rng() % 2);
  return {std::move(functions), {.p = 1 + rng() % 2, .d = d}};
}

// Claim 4.1 and Lemma 4.1, and the search's claims about its own trees.
TEST(DecompositionTest, TreesAreValidAndHaveFewLeaves) {
  ClassRng rng(1);
  std::array<int, 6> degrees{};
  for (int run = 0; run < 400; ++run) {
    const auto [functions, params] = RandomCase(rng, 12, 5);
    LittlestoneDimension dimension(functions);
    Decomposition decomposition(dimension, params);
    const auto set = functions.All();
    const auto greedy = decomposition.Greedy(set);
    const auto optimal = decomposition.Optimal(set);
    const double most = std::pow(static_cast<double>(params.p), params.d) *
                        std::exp2(params.d * params.d);
    for (const auto* tree : {&greedy, &optimal}) {
      const Status valid = CheckDecomposition(functions, set, *tree, params);
      ASSERT_TRUE(valid) << valid.error().message;
      EXPECT_LE(static_cast<double>(tree->leaves()), most);
    }
    EXPECT_EQ(optimal.degree(), decomposition.Dimension(set));
    EXPECT_LE(optimal.degree(), greedy.degree());
    ++degrees[static_cast<std::size_t>(optimal.degree())];
  }
  EXPECT_GT(degrees[0], 0);
  EXPECT_GT(degrees[1], 0);
}

TEST(DecompositionTest, TheCheckerRefusesWhatIsWrong) {
  const auto functions = FiniteClass::Named("thresholds", 7);
  LittlestoneDimension dimension(*functions);
  const Decomposition::Params params{.p = 1, .d = 3};
  Decomposition decomposition(dimension, params);
  const auto set = functions->All();
  const auto good = decomposition.Optimal(set);
  ASSERT_TRUE(CheckDecomposition(*functions, set, good, params));
  auto shortened = good;  // the root is reducible
  shortened.nodes[0].zero = shortened.nodes[0].one = -1;
  EXPECT_FALSE(CheckDecomposition(*functions, set, shortened, params));
  auto moved = good;
  moved.nodes[0].point = (moved.nodes[0].point + 1) % 7;
  EXPECT_FALSE(CheckDecomposition(*functions, set, moved, params));
  const auto points = FiniteClass::Named("points", 6);
  LittlestoneDimension of_points(*points);
  Decomposition deep(of_points, {.p = 5, .d = 1});
  const auto tree = deep.Optimal(points->All());
  EXPECT_TRUE(
      CheckDecomposition(*points, points->All(), tree, {.p = 5, .d = 1}));
  EXPECT_FALSE(
      CheckDecomposition(*points, points->All(), tree, {.p = 4, .d = 1}));
}

// The least degree, from all trees and the definitions of the checker: no
// memory, no order of depths.
bool SomeTree(Decomposition& decomposition, LittlestoneDimension& dimension,
              const FiniteClass::Set& set, std::uint64_t depth, int degree) {
  if (CountMembers(set) == 0) return true;
  const int mine = dimension.Of(set);
  if (!decomposition.NodeMayBe(mine, depth)) return false;
  if (mine <= degree && decomposition.LeafMayBe(set, mine, depth)) return true;
  for (std::size_t x = 0; x < dimension.functions().points(); ++x) {
    const auto zeros = Restrict(dimension.functions(), set, x, false);
    const auto ones = Restrict(dimension.functions(), set, x, true);
    if (CountMembers(zeros) == 0 || CountMembers(ones) == 0) continue;
    if (SomeTree(decomposition, dimension, zeros, depth + 1, degree) &&
        SomeTree(decomposition, dimension, ones, depth + 1, degree)) {
      return true;
    }
  }
  return false;
}

// As printed: [Littlestone] Def. 4.2: by trying all trees.
TEST(DecompositionTest, TheDimensionIsTheLeastDegree) {
  ClassRng rng(2);
  for (int run = 0; run < 200; ++run) {
    const auto [functions, params] = RandomCase(rng, 9, 4);
    LittlestoneDimension dimension(functions);
    Decomposition decomposition(dimension, params);
    const int found = decomposition.Dimension(functions.All());
    EXPECT_TRUE(SomeTree(decomposition, dimension, functions.All(), 0, found));
    if (found == 0) continue;
    EXPECT_FALSE(
        SomeTree(decomposition, dimension, functions.All(), 0, found - 1));
  }
}

// Lemma 4.2: optimal labels of (d + 1)-irreducible subsets do not increase the
// dimension.
TEST(DecompositionTest, OptimalLabelsOfIrreducibleSubsetsKeepTheDimension) {
  ClassRng rng(3);
  for (int run = 0; run < 40; ++run) {
    const FiniteClass functions = RandomClass(9, 5, rng, 1 + rng() % 4);
    LittlestoneDimension dimension(functions);
    Irreducibility irreducibility(dimension);
    const int d = dimension.Of(functions.All());
    std::set<Labels> labels;
    for (std::uint64_t set = 1; set < std::uint64_t{1} << functions.size();
         ++set) {
      if (irreducibility.IsIrreducible({set},
                                       static_cast<std::uint64_t>(d) + 1)) {
        labels.insert(dimension.OptimalLabels({set}));
      }
    }
    const std::vector<Labels> rows(labels.begin(), labels.end());
    const auto closure = FiniteClass::Create(
        rows.size(), functions.points(),
        [&](std::uint64_t h, std::uint64_t x) { return rows[h][x]; });
    LittlestoneDimension wider(*closure);
    EXPECT_LE(wider.Of(closure->All()), d);
    EXPECT_GE(rows.size(), functions.size());
  }
}

// Lemma 4.3: a smaller class, with twice the p, decomposes no worse; if no
// better, its top labels are among those of the larger one.
TEST(DecompositionTest, SmallerClassesDecomposeFurtherOrAgree) {
  ClassRng rng(4);
  int agreed = 0;
  for (int run = 0; run < 600; ++run) {
    const auto [functions, params] = RandomCase(rng, 12, 5);
    LittlestoneDimension dimension(functions);
    const auto smaller = RandomSet(functions, rng);
    if (CountMembers(smaller) == 0) continue;
    Decomposition once(dimension, params);
    Decomposition twice(dimension, {.p = 2 * params.p, .d = params.d});
    const int larger_degree = once.Dimension(functions.All());
    const int smaller_degree = twice.Dimension(smaller);
    ASSERT_LE(smaller_degree, larger_degree);
    if (smaller_degree < larger_degree) continue;
    const auto mine = TopSet(twice, twice.Optimal(smaller));
    const auto theirs = TopSet(once, once.Optimal(functions.All()));
    EXPECT_TRUE(
        std::includes(theirs.begin(), theirs.end(), mine.begin(), mine.end()));
    ++agreed;
  }
  EXPECT_GT(agreed, 20);
}

// Corollary 4.1: essential hypotheses are in every optimal tree, few, and
// there is one where twice the p does not decompose further.
TEST(DecompositionTest, EssentialHypothesesAreInEveryOptimalTree) {
  ClassRng rng(5);
  int some = 0;
  for (int run = 0; run < 300; ++run) {
    const auto [functions, params] = RandomCase(rng, 10, 5);
    LittlestoneDimension dimension(functions);
    Decomposition decomposition(dimension, params);
    const auto set = functions.All();
    const auto essential = EssentialSet(decomposition, set);
    const auto optimal = TopSet(decomposition, decomposition.Optimal(set));
    EXPECT_TRUE(std::includes(optimal.begin(), optimal.end(), essential.begin(),
                              essential.end()));
    const auto greedy = decomposition.Greedy(set);
    if (greedy.degree() == decomposition.Dimension(set)) {
      const auto labels = TopSet(decomposition, greedy);
      EXPECT_TRUE(std::includes(labels.begin(), labels.end(), essential.begin(),
                                essential.end()));
    }
    Decomposition twice(dimension, {.p = 2 * params.p, .d = params.d});
    if (twice.Dimension(set) == decomposition.Dimension(set)) {
      const auto kept = TopSet(twice, twice.Optimal(set));
      EXPECT_TRUE(std::includes(essential.begin(), essential.end(),
                                kept.begin(), kept.end()));
      EXPECT_FALSE(essential.empty());
    }
    some += essential.empty() ? 0 : 1;
  }
  EXPECT_GT(some, 20);
}

// Where all is singletons, every function is essential.
TEST(DecompositionTest, LargePMakesEveryFunctionEssential) {
  const auto functions = FiniteClass::Named("thresholds", 4);
  LittlestoneDimension dimension(*functions);
  Decomposition decomposition(dimension, {.p = 5, .d = 2});
  EXPECT_EQ(decomposition.Dimension(functions->All()), 0);
  EXPECT_EQ(decomposition.Essential(functions->All()).size(), 5);
}

// Fact 4: an essential hypothesis that is wrong on 1/8 of at most p examples is
// not essential to functions that are wrong on at most 1/10 of them.
TEST(DecompositionTest, ExamplesRuleOutEssentialHypotheses) {
  ClassRng rng(6);
  int ruled_out = 0;
  for (int run = 0; run < 600; ++run) {
    const auto [functions, params] = RandomCase(rng, 10, 5);
    LittlestoneDimension dimension(functions);
    const std::size_t n = static_cast<std::size_t>(params.d) + rng() % 3;
    if (n == 0) continue;
    Decomposition decomposition(dimension, {.p = n, .d = params.d});
    const auto set = functions.All();
    std::vector<std::size_t> xs(n);
    std::vector<bool> ys(n);
    const std::size_t target = rng() % functions.size();
    FiniteClass::Set left = set;  // n < 10: only zero errors are at most 1/10
    for (std::size_t i = 0; i < n; ++i) {
      xs[i] = rng() % functions.points();
      ys[i] = functions.Label(target, xs[i]);
      left = Restrict(functions, left, xs[i], ys[i]);
    }
    for (const Labels& f : decomposition.Essential(set)) {
      std::size_t errors = 0;
      for (std::size_t i = 0; i < n; ++i) errors += f[xs[i]] != ys[i] ? 1 : 0;
      if (8 * errors < n) continue;
      EXPECT_EQ(EssentialSet(decomposition, left).count(f), 0);
      ++ruled_out;
    }
  }
  EXPECT_GT(ruled_out, 20);
}

}  // namespace
}  // namespace sotto
