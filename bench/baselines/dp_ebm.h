#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "bench/baselines/column_cells.h"
#include "bench/baselines/player.h"
#include "sotto/base/result.h"
#include "sotto/testing/seeded_rng.h"

namespace sotto::bench {

// DP-EBM: a sum of one function a column, boosted by random trees over the
// column's cells whose leaves get noisy sums of residuals. It learns from a
// table, so the stream is cut into epochs, each `growth` times as long as the
// one before; a model learns from the rows of one epoch and answers in the
// next.
// It begins from nothing, or (`continued`) from the model published before.
// A row is in one epoch. In it are the counts of the cells and `passes`
// releases a column, the constant's among them, which compose as Gaussians: a
// tenth of the squared budget for the counts, the rest for the residuals, which
// are cut to `clip`. Cells come from the public ranges, where the paper pays
// for them.
//
// Paper:     Nori et al. 2021, Accuracy, interpretability, and differential
//            privacy via explainable boosting.
// Guarantee: (epsilon, delta)-DP of all models, one row replaced, but for the
//            noise in doubles.
class DpEbm final : public Player {
 public:
  struct Params {
    double epsilon = 1;
    double delta = 1e-6;
    bool continued = false;
    double rate = 0.1;
    std::uint32_t passes = 20;
    std::uint32_t leaves = 3;
    double clip = 0.5;
    double first_epoch = 1000;  // rows
    double growth = 2;
    CellGrid grid = {.even = 32, .low = 32, .per_octave = 3};
    std::uint64_t seed = 1;
  };
  // Requires two labels or a number. Fails as GaussianSigma does.
  static Result<std::unique_ptr<Player>> Create(const Schema& schema,
                                                const Params& params);

  Prediction Tell(FeatureView x) override;
  void Learn(FeatureView x, const Label& y) override;

 private:
  // The rows of an epoch: private.
  struct Row {
    std::vector<std::uint32_t> cells;
    double aim;
    double score;
  };

  DpEbm(const Schema& schema, const Params& params, double sigma);
  double Score(const std::vector<std::uint32_t>& cells) const;
  void EndEpoch();
  std::vector<double> CountCells();
  std::vector<std::uint32_t> DrawLeaves(std::size_t column,
                                        std::span<const double> counts);
  void Boost(std::size_t column, const std::vector<double>& counts);

  Params params_;
  LabelType label_;
  ColumnCells columns_;
  testing::SeededRng rng_;
  double count_deviation_;
  double sum_deviation_;
  std::vector<double> tables_;  // the constant, then all cells: public
  std::vector<Row> rows_;
  double epoch_;  // rows of this one
  std::vector<std::uint32_t> cells_;
};

}  // namespace sotto::bench
