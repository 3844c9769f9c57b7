#pragma once

#include <cstdint>
#include <vector>

#include "sotto/accounting/gaussian_analytic.h"
#include "sotto/base/feature_view.h"
#include "sotto/base/result.h"
#include "sotto/mechanisms/counters/square_root_counter.h"
#include "sotto/random/rng.h"

namespace sotto {

// DP-FTRL, what a user would otherwise take: follow the regularised leader on
// the hinge loss, every running sum of gradients from a square-root counter a
// coordinate, all rounds used.
//
//   auto ftrl = PrivateFtrl::Create({.epsilon = 1, .delta = 1e-6,
//                                    .features = 100, .horizon = 10'000,
//                                    .learning_rate = 0.01});
//   bool label = ftrl->Predict(x);
//   ftrl->Learn(x, y, rng);
//
// Paper:     Kairouz, McMahan, Song, Thakkar, Thakurta, Xu 2021.
// Guarantee: (epsilon, delta)-DP of all weights, one example with features in
//            {-1, 0, 1} replaced: its gradient moves every coordinate by at
//            most 2 and the vector by 2 max_norm, and the counters' noise is
//            Gaussian, so sigma per unit of the vector's length decides.
class PrivateFtrl {
 public:
  struct Params {
    double epsilon = 0;
    double delta = 0;
    std::uint32_t features = 0;
    double max_norm = 0;
    std::uint64_t horizon = 0;
    double learning_rate = 0;
  };

  static Result<PrivateFtrl> Create(const Params& params) {
    SOTTO_TRY_ASSIGN(const auto each, EpsilonOfOne(params));
    SOTTO_TRY_ASSIGN(const auto counter,
                     SquareRootCounter::Create({.epsilon = each,
                                                .delta = params.delta,
                                                .horizon = params.horizon}));
    return PrivateFtrl(params, counter);
  }

  double Score(FeatureView x) const {
    double score = 0;
    for (const Feature& f : x) score += sums_[f.index] * f.value;
    return score * params_.learning_rate;
  }
  bool Predict(FeatureView x) const { return Score(x) > 0; }

  void Learn(FeatureView x, bool y, Rng& rng) {
    const double margin = y ? Score(x) : -Score(x);
    ++rounds_;
    std::size_t at = 0;
    for (std::uint32_t j = 0; j < params_.features; ++j) {
      int gradient = 0;
      if (at < x.size() && x[at].index == j) {
        const double value = x[at++].value;
        if (margin < 1) gradient = (value > 0) == y ? 1 : -1;
      }
      const auto estimate =
          counters_[j].Add(static_cast<std::uint64_t>(gradient + 1), rng);
      if (estimate) sums_[j] = static_cast<double>(*estimate - rounds_);
    }
  }

 private:
  PrivateFtrl(const Params& params, const SquareRootCounter& counter)
      : params_(params),
        counters_(params.features, counter),
        sums_(params.features, 0.0) {}

  // The epsilon at which one counter's noise is what the vector needs.
  static Result<double> EpsilonOfOne(const Params& params) {
    SOTTO_TRY_ASSIGN(const auto vector,
                     GaussianSigma(params.epsilon, params.delta, 1));
    const double need = vector * 2 * params.max_norm;
    double low = 0x1p-10;
    double high = params.epsilon;
    for (int i = 0; i < 30; ++i) {
      const double middle = (low + high) / 2;
      SOTTO_TRY_ASSIGN(const auto sigma,
                       GaussianSigma(middle, params.delta, 1));
      (sigma >= need ? low : high) = middle;
    }
    return low;
  }

  Params params_;
  std::vector<SquareRootCounter> counters_;
  std::vector<double> sums_;
  std::int64_t rounds_ = 0;
};

}  // namespace sotto
