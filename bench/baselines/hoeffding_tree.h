#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "bench/baselines/column_cells.h"
#include "bench/baselines/player.h"

namespace sotto::bench {

// A very fast decision tree without privacy: leaves count labels by column and
// cell, and split once the best question is better than the second by the
// Hoeffding bound, or the bound is small. Questions: a category has this value;
// a number is at most the end of this cell. Leaves answer with the majority or
// by naive Bayes, whichever has been right more often there.
//
// Paper:   Domingos, Hulten 2000; Gama, Rocha, Medas 2003 for the leaves.
// Threads: not thread-safe.
class HoeffdingTree final : public Player {
 public:
  struct Params {
    CellGrid grid = {.even = 32, .low = 32, .per_octave = 3};
    double delta = 1e-7;  // of the bound; not of privacy
    double tie = 0.05;    // tau
    double grace = 200;   // rows of a leaf between two looks
    std::size_t most_nodes = 4000;
  };
  // Requires classes.
  HoeffdingTree(const Schema& schema, const Params& params);

  Prediction Tell(FeatureView x) override;
  void Learn(FeatureView x, const Label& y) override;
  std::size_t nodes() const { return nodes_.size(); }

 private:
  using Counts = std::vector<double>;  // by label
  struct Node {
    std::optional<std::size_t> column = {};  // a leaf has none
    std::uint32_t cell = 0;
    std::size_t left = 0;  // the right one follows
    Counts inherited = {};
    Counts labels = {};
    std::vector<float> cells = {};  // by cell and label
    double since = 0;
    double majority_right = 0;
    double bayes_right = 0;
  };
  struct Question {
    std::size_t column = 0;
    std::uint32_t cell = 0;
    double gain = 0;
    Counts left = {};
  };

  std::size_t FindLeaf() const;
  bool GoesLeft(const Node& node) const;
  std::uint32_t Majority(const Node& node) const;
  std::uint32_t Bayes(const Node& node) const;
  Question FindBest(const Node& node, std::size_t column) const;
  void TrySplit(std::size_t leaf);
  void Split(std::size_t leaf, const Question& question);
  std::size_t AddLeaf(Counts inherited);

  Params params_;
  ColumnCells columns_;
  std::uint32_t classes_;
  std::vector<Node> nodes_;
  std::vector<std::uint32_t> row_;  // cells of the row asked about
  std::size_t leaf_ = 0;            // of it
};

}  // namespace sotto::bench
