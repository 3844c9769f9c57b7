#include "sotto/learners/classes/mistake_tree.h"

#include <gtest/gtest.h>

#include "sotto/learners/classes/classes_test_tools.h"
#include "sotto/learners/classes/littlestone_dimension.h"

namespace sotto {
namespace {

TEST(MistakeTreeTest, CertifiesTheDimensionThatWasFound) {
  ClassRng rng(1);
  for (int run = 0; run < 30; ++run) {
    const FiniteClass functions =
        RandomClass(1 + rng() % 120, 1 + rng() % 12, rng, 1 + rng() % 6);
    LittlestoneDimension dimension(functions);
    const int depth = dimension.Of(functions.All());
    const MistakeTree tree = dimension.Tree(functions.All(), depth);
    EXPECT_EQ(tree.depth, depth);
    EXPECT_TRUE(CheckMistakeTree(tree, functions));
  }
}

TEST(MistakeTreeTest, IsRefusedIfAnythingInItIsWrong) {
  const auto functions = FiniteClass::Named("thresholds", 7);
  LittlestoneDimension dimension(*functions);
  const MistakeTree good = dimension.Tree(functions->All(), 3);
  ASSERT_TRUE(CheckMistakeTree(good, *functions));
  for (std::size_t i = 0; i < good.points.size(); ++i) {
    MistakeTree bad = good;
    bad.points[i] = (bad.points[i] + 1) % 7;
    EXPECT_FALSE(CheckMistakeTree(bad, *functions)) << i;
    bad.points[i] = 7;
    EXPECT_FALSE(CheckMistakeTree(bad, *functions)) << i;
  }
  for (std::size_t i = 0; i < good.leaves.size(); ++i) {
    MistakeTree bad = good;
    bad.leaves[i] = (bad.leaves[i] + 1) % 8;
    EXPECT_FALSE(CheckMistakeTree(bad, *functions)) << i;
    bad.leaves[i] = 8;
    EXPECT_FALSE(CheckMistakeTree(bad, *functions)) << i;
  }
  MistakeTree longer = good;
  ++longer.depth;
  EXPECT_FALSE(CheckMistakeTree(longer, *functions));
}

TEST(MistakeTreeTest, IsDrawn) {
  const MistakeTree tree{.depth = 1, .points = {4}, .leaves = {1, 0}};
  EXPECT_EQ(TreeText(tree, 3), "point 4\n|-0- function 1\n`-1- function 0\n");
  EXPECT_EQ(TreeText(tree, 0), "point 4 ... (1 level)\n");
  EXPECT_EQ(TreeDot(tree),
            "digraph mistakes {\n"
            "  n0 [label=\"x = 4\"];\n"
            "  n0 -> n1 [label=\"0\"];\n"
            "  n0 -> n2 [label=\"1\"];\n"
            "  n1 [shape=box, label=\"h1\"];\n"
            "  n2 [shape=box, label=\"h0\"];\n"
            "}\n");
}

}  // namespace
}  // namespace sotto
