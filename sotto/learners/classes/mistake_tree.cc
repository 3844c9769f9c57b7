#include "sotto/learners/classes/mistake_tree.h"

namespace sotto {
namespace {

constexpr int kMaxDepth = 40;

Status CheckShape(const MistakeTree& tree, std::uint64_t size,
                  std::uint64_t points) {
  if (tree.depth < 0 || tree.depth > kMaxDepth) {
    return InvalidArgument("a depth of " + std::to_string(tree.depth));
  }
  const std::uint64_t leaves = std::uint64_t{1} << tree.depth;
  if (tree.leaves.size() != leaves || tree.points.size() != leaves - 1) {
    return InvalidArgument("the tree is not complete");
  }
  for (const std::uint64_t point : tree.points) {
    if (point >= points) return InvalidArgument("a point outside the class");
  }
  for (const std::uint64_t leaf : tree.leaves) {
    if (leaf >= size) return InvalidArgument("a function outside the class");
  }
  return Ok();
}

std::string NodeName(std::uint64_t node) {
  return std::string("n").append(std::to_string(node));
}

void AppendText(const MistakeTree& tree, std::uint64_t node, int level,
                int levels, const std::string& indent, std::string& text) {
  if (level == tree.depth) {
    text +=
        "function " + std::to_string(tree.leaves[node - tree.points.size()]);
    text += '\n';
    return;
  }
  text += "point " + std::to_string(tree.points[node]);
  if (level == levels) {
    const int more = tree.depth - level;
    text += " ... (" + std::to_string(more) +
            (more == 1 ? " level)\n" : " levels)\n");
    return;
  }
  text += '\n' + indent + "|-0- ";
  AppendText(tree, 2 * node + 1, level + 1, levels, indent + "|    ", text);
  text += indent + "`-1- ";
  AppendText(tree, 2 * node + 2, level + 1, levels, indent + "     ", text);
}

}  // namespace

// Climbs from each leaf: the label of an edge is which child it comes from.
Status CheckMistakeTree(const MistakeTree& tree, std::uint64_t size,
                        std::uint64_t points, const FiniteClass::Rule& rule) {
  SOTTO_TRY(CheckShape(tree, size, points));
  for (std::uint64_t leaf = 0; leaf < tree.leaves.size(); ++leaf) {
    std::uint64_t node = leaf + tree.points.size();
    while (node > 0) {
      const bool label = node % 2 == 0;
      node = (node - 1) / 2;
      if (rule(tree.leaves[leaf], tree.points[node]) == label) continue;
      return InvalidArgument("function " + std::to_string(tree.leaves[leaf]) +
                             " does not have the labels of its path");
    }
  }
  return Ok();
}

Status CheckMistakeTree(const MistakeTree& tree, const FiniteClass& functions) {
  return CheckMistakeTree(
      tree, functions.size(), functions.points(),
      [&](std::uint64_t h, std::uint64_t x) { return functions.Label(h, x); });
}

std::string TreeText(const MistakeTree& tree, int levels) {
  std::string text;
  AppendText(tree, 0, 0, levels, "", text);
  return text;
}

std::string TreeDot(const MistakeTree& tree) {
  std::string dot = "digraph mistakes {\n";
  const auto label = [&dot](std::uint64_t node, const std::string& text) {
    dot += "  " + NodeName(node) + " [" + text + "];\n";
  };
  for (std::uint64_t node = 0; node < tree.points.size(); ++node) {
    label(node, "label=\"x = " + std::to_string(tree.points[node]) + "\"");
    for (const std::uint64_t child : {std::uint64_t{1}, std::uint64_t{2}}) {
      dot += "  " + NodeName(node) + " -> " + NodeName(2 * node + child) +
             " [label=\"" + (child == 1 ? "0" : "1") + "\"];\n";
    }
  }
  for (std::uint64_t leaf = 0; leaf < tree.leaves.size(); ++leaf) {
    label(leaf + tree.points.size(),
          "shape=box, label=\"h" + std::to_string(tree.leaves[leaf]) + "\"");
  }
  return dot + "}\n";
}

}  // namespace sotto
