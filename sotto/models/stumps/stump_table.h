#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sotto/base/feature_view.h"
#include "sotto/mechanisms/boundaries/boundary_set.h"

namespace sotto {

// One side of one axis: positives are where the coordinate is large or, down,
// where it is small.
struct StumpAxis {
  std::uint32_t feature = 0;
  bool down = false;
  friend bool operator==(const StumpAxis&, const StumpAxis&) = default;
};

// A threshold on an axis: numbers from `from` on are positive or, down,
// negative.
struct StumpCut {
  StumpAxis axis = {};
  float from = 0;
};

// A labelled table, by columns, for choosing an axis and cutting a boundary set
// out of it. Numbers are kept to 24 bits (as float): a record's own rounding,
// which no other record sees.
//
//   StumpTable table(2);
//   table.Add(x, true);
//   std::vector<std::int64_t> scores = table.Scores();   // minus least errors
//   BoundarySet set = table.Window({0, false}, 500, 100);
//
// Work is about that of sorting every column once.
//
// Proof:   decision_stumps_predictor.md, steps 1 to 3.
// Threads: not thread-safe.
class StumpTable {
 public:
  explicit StumpTable(std::uint32_t features) : columns_(features) {}

  void Add(FeatureView x, bool positive);
  std::size_t rows() const { return labels_.size(); }
  std::int64_t positives() const { return positives_; }  // secret

  // For each feature, up and then down: minus the least number of rows that a
  // threshold on it gets wrong. One row moves each by at most one.
  std::vector<std::int64_t> Scores() const;
  static StumpAxis MakeAxis(std::size_t score) {
    return {static_cast<std::uint32_t>(score / 2), score % 2 == 1};
  }

  // The threshold on that axis that gets the fewest rows wrong; below all
  // numbers without rows. Secret.
  StumpCut BestCut(const StumpAxis& axis) const;

  // The rows of ranks inside - size + 1, ..., inside along the axis, counted
  // from where positives are: how many of them lie above v is
  // #{rows above v} - (inside - size), cut to [0, size], for any `inside`.
  BoundarySet Window(const StumpAxis& axis, std::int64_t inside,
                     std::int64_t size) const;

  // The first `count` numbers of the axis' feature from where positives are, as
  // many as there are. One row changes, adds or removes at most one of them
  // (decision_perp.md, step 2).
  std::vector<double> First(const StumpAxis& axis, std::int64_t count) const;

 private:
  // The numbers of a column in order, each with its label in the lowest bit.
  void SortColumn(std::uint32_t feature, std::vector<std::uint64_t>& words,
                  std::vector<std::uint64_t>& scratch) const;

  std::vector<std::vector<float>> columns_;
  std::vector<std::uint8_t> labels_;
  std::int64_t positives_ = 0;
};

}  // namespace sotto
