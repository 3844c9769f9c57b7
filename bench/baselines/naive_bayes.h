#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "bench/baselines/column_cells.h"
#include "bench/baselines/player.h"
#include "bench/baselines/prefix_noise.h"
#include "sotto/base/result.h"
#include "sotto/testing/seeded_rng.h"

namespace sotto::bench {

// Naive Bayes from noisy counts of label and column value, one table of counts
// for the whole stream, released after every batch. A row is in one cell of
// every column and in one count of its label: 1 + m ones, so that another row
// moves the counts by sqrt(2 (1 + m)) at most.
//
// Guarantee: (epsilon, delta)-DP of all counts, one row replaced, but for the
//            noise in doubles. Without epsilon: no noise.
class NaiveBayes final : public Player {
 public:
  struct Params {
    double epsilon = 0;  // 0: not private
    double delta = 1e-6;
    CellGrid grid = {};
    std::uint64_t rows = 0;  // T
    std::uint64_t batch = 50;
    std::uint64_t seed = 1;
  };
  // Requires classes. Fails as GaussianSigma does.
  static Result<std::unique_ptr<Player>> Create(const Schema& schema,
                                                const Params& params);

  Prediction Tell(FeatureView x) override;
  void Learn(FeatureView x, const Label& y) override;

 private:
  NaiveBayes(const Schema& schema, const Params& params, double sigma);
  void Release();
  void CountRow(std::uint32_t label);

  Params params_;
  ColumnCells columns_;
  std::uint32_t classes_;
  testing::SeededRng rng_;
  SquareRootNoise noise_;
  double deviation_;            // of the fresh noise
  double smoothing_;            // of a cell; about the deviation of a count
  std::vector<double> sums_;    // private; labels, then cells by label
  std::vector<double> counts_;  // released
  std::vector<double> scores_;
  std::vector<std::uint32_t> cells_;
  std::uint64_t seen_ = 0;
};

}  // namespace sotto::bench
