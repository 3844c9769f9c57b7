#include "bench/baselines/hoeffding_tree.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace sotto::bench {
namespace {

double Sum(const std::vector<double>& counts) {
  return std::accumulate(counts.begin(), counts.end(), 0.0);
}

// In bits, times the number of rows.
double Entropy(const std::vector<double>& counts) {
  const double total = Sum(counts);
  double sum = 0;
  for (const double count : counts) {
    if (count > 0) sum -= count * std::log2(count / total);
  }
  return sum;
}

}  // namespace

HoeffdingTree::HoeffdingTree(const Schema& schema, const Params& params)
    : params_(params),
      columns_(schema, params.grid),
      classes_(schema.label->type.classes()) {
  AddLeaf(Counts(classes_));
}

std::size_t HoeffdingTree::AddLeaf(Counts inherited) {
  Node leaf;
  leaf.inherited = std::move(inherited);
  leaf.labels.assign(classes_, 0);
  leaf.cells.assign(std::size_t{columns_.total()} * classes_, 0);
  nodes_.push_back(std::move(leaf));
  return nodes_.size() - 1;
}

bool HoeffdingTree::GoesLeft(const Node& node) const {
  const std::uint32_t cell = row_[*node.column];
  return columns_.is_number(*node.column) ? cell <= node.cell
                                          : cell == node.cell;
}

std::size_t HoeffdingTree::FindLeaf() const {
  std::size_t at = 0;
  while (nodes_[at].column) {
    at = nodes_[at].left + (GoesLeft(nodes_[at]) ? 0 : 1);
  }
  return at;
}

std::uint32_t HoeffdingTree::Majority(const Node& node) const {
  std::uint32_t best = 0;
  const auto count = [&](std::uint32_t k) {
    return node.inherited[k] + node.labels[k];
  };
  for (std::uint32_t k = 1; k < classes_; ++k) {
    if (count(k) > count(best)) best = k;
  }
  return best;
}

std::uint32_t HoeffdingTree::Bayes(const Node& node) const {
  std::uint32_t best = 0;
  double best_score = 0;
  for (std::uint32_t k = 0; k < classes_; ++k) {
    double score = std::log(node.labels[k] + 1);
    for (std::size_t c = 0; c < row_.size(); ++c) {
      const std::size_t cell = columns_.first(c) + row_[c];
      score += std::log(
          (static_cast<double>(node.cells[cell * classes_ + k]) + 0.5) /
          (node.labels[k] + 0.5 * columns_.size(c)));
    }
    if (k == 0 || score > best_score) {
      best = k;
      best_score = score;
    }
  }
  return best;
}

Prediction HoeffdingTree::Tell(FeatureView x) {
  columns_.Find(x, row_);
  leaf_ = FindLeaf();
  const Node& node = nodes_[leaf_];
  const bool bayes = node.bayes_right > node.majority_right;
  return {Label::OfClass(bayes ? Bayes(node) : Majority(node))};
}

void HoeffdingTree::Learn(FeatureView, const Label& y) {
  Node& node = nodes_[leaf_];
  const std::uint32_t label = y.index();
  node.majority_right += Majority(node) == label ? 1 : 0;
  node.bayes_right += Bayes(node) == label ? 1 : 0;
  node.labels[label] += 1;
  for (std::size_t c = 0; c < row_.size(); ++c) {
    const std::size_t cell = columns_.first(c) + row_[c];
    node.cells[cell * classes_ + label] += 1;
  }
  node.since += 1;
  if (node.since < params_.grace || nodes_.size() >= params_.most_nodes) return;
  node.since = 0;
  TrySplit(leaf_);
}

HoeffdingTree::Question HoeffdingTree::FindBest(const Node& node,
                                                std::size_t column) const {
  Question best{.column = column};
  const double total = Sum(node.labels);
  const double before = Entropy(node.labels);
  Counts left(classes_);
  Counts right(classes_);
  for (std::uint32_t v = 0; v < columns_.size(column); ++v) {
    const float* counts =
        &node.cells[std::size_t{columns_.first(column) + v} * classes_];
    if (!columns_.is_number(column)) std::ranges::fill(left, 0.0);
    for (std::uint32_t k = 0; k < classes_; ++k) {
      left[k] += static_cast<double>(counts[k]);
      right[k] = node.labels[k] - left[k];
    }
    const double gain = (before - Entropy(left) - Entropy(right)) / total;
    if (gain > best.gain) {
      best.cell = v;
      best.gain = gain;
      best.left = left;
    }
  }
  return best;
}

void HoeffdingTree::TrySplit(std::size_t leaf) {
  const Node& node = nodes_[leaf];
  Question best;
  double second = 0;  // no question at all gains nothing
  for (std::size_t c = 0; c < columns_.columns(); ++c) {
    Question question = FindBest(node, c);
    if (question.gain > best.gain) {
      second = best.gain;
      best = std::move(question);
    } else {
      second = std::max(second, question.gain);
    }
  }
  const double range = std::log2(static_cast<double>(classes_));
  const double bound =
      range * std::sqrt(-std::log(params_.delta) / (2 * Sum(node.labels)));
  const bool is_better = best.gain - second > bound || bound < params_.tie;
  constexpr double kLeastGain = 1e-3;
  if (best.gain > kLeastGain && is_better) Split(leaf, best);
}

void HoeffdingTree::Split(std::size_t leaf, const Question& question) {
  Counts right = nodes_[leaf].labels;
  for (std::uint32_t k = 0; k < classes_; ++k) right[k] -= question.left[k];
  const std::size_t left = AddLeaf(question.left);
  AddLeaf(std::move(right));
  Node& node = nodes_[leaf];
  node.column = question.column;
  node.cell = question.cell;
  node.left = left;
  node.cells = {};
}

}  // namespace sotto::bench
