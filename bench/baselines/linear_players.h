#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "bench/baselines/player.h"
#include "bench/baselines/prefix_noise.h"
#include "bench/baselines/scaled_rows.h"
#include "sotto/base/label.h"
#include "sotto/base/result.h"
#include "sotto/testing/seeded_rng.h"

namespace sotto::bench {

// One linear function of a row for every output (one, or one a class) with the
// logistic link, the softmax, or for numbers the logistic curve over their
// range. How the weights come about is what learners differ in.
class LinearPlayer : public Player {
 public:
  Prediction Tell(FeatureView x) override;

 protected:
  LinearPlayer(const LabelType& type, ScaledRows rows);

  // The row predicted last: its coordinates, and its error in every
  // output, at most `clip` long.
  std::span<const Feature> row() const { return row_; }
  std::span<const double> Errors(const Label& y, double clip);
  std::size_t outputs() const { return scores_.size(); }
  std::vector<double>& weights() { return weights_; }  // coordinate, output

 private:
  LabelType type_;
  ScaledRows rows_;
  std::span<const Feature> row_;
  std::vector<double> scores_;
  std::vector<double> errors_;
  std::vector<double> weights_;
};

// Online logistic regression without privacy, a step a row, each coordinate's
// step by the gradients it has seen (AdaGrad).
class AdaptiveRegression final : public LinearPlayer {
 public:
  struct Params {
    double rate = 0.1;
    bool pairs = false;  // of columns, as Tide's
    double clip = 2;     // of a row's error
  };
  // Fails as TideEncoding does.
  static Result<std::unique_ptr<Player>> Create(const Schema& schema,
                                                const Params& params);
  void Learn(FeatureView x, const Label& y) override;

 private:
  AdaptiveRegression(const LabelType& type, ScaledRows rows,
                     const Params& params);

  Params params_;
  std::vector<double> squares_;
};

// DP-FTRL as published: the weights are minus the rate times the sum of all
// gradients, released after every batch with the noise of a tree.
//
// Guarantee: (epsilon, delta)-DP of all weights, one row replaced, but for the
//            noise in doubles and for whatever chose the rate.
class TreeFtrl final : public LinearPlayer {
 public:
  struct Params {
    double epsilon = 1;
    double delta = 1e-6;
    double rate = 0.1;
    double clip = 0.5;
    std::uint64_t rows = 0;  // T
    std::uint64_t batch = 1;
    std::uint64_t seed = 1;
  };
  static Result<std::unique_ptr<Player>> Create(const Schema& schema,
                                                const Params& params);
  void Learn(FeatureView x, const Label& y) override;

 private:
  TreeFtrl(const LabelType& type, ScaledRows rows, const Params& params,
           double sigma);
  void Release();

  Params params_;
  testing::SeededRng rng_;
  TreeNoise noise_;
  double deviation_;
  std::vector<double> sums_;
  std::uint64_t seen_ = 0;
};

}  // namespace sotto::bench
