#include "bench/baselines/naive_bayes.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "sotto/accounting/gaussian_analytic.h"

namespace sotto::bench {

NaiveBayes::NaiveBayes(const Schema& schema, const Params& params, double sigma)
    : params_(params),
      columns_(schema, params.grid),
      classes_(schema.label->type.classes()),
      rng_(params.seed),
      noise_(std::size_t{1 + columns_.total()} * classes_,
             params.rows / params.batch + 1),
      deviation_(sigma * noise_.reach() *
                 std::sqrt(2 * (1 + static_cast<double>(columns_.columns())))),
      // The factorisation is symmetric: as much again comes from undoing it.
      smoothing_(std::max(1.0, deviation_ * noise_.reach())),
      sums_(noise_.values().size()),
      counts_(noise_.values().size()),
      scores_(classes_) {}

Result<std::unique_ptr<Player>> NaiveBayes::Create(const Schema& schema,
                                                   const Params& params) {
  double sigma = 0;
  if (params.epsilon > 0) {
    SOTTO_TRY_ASSIGN(const auto found,
                     GaussianSigma(params.epsilon, params.delta, 1));
    sigma = found;
  }
  return std::unique_ptr<Player>(new NaiveBayes(schema, params, sigma));
}

// Every cell's counts are drawn towards the labels' shares, by as much as their
// noise is worth.
Prediction NaiveBayes::Tell(FeatureView x) {
  columns_.Find(x, cells_);
  double total = 0;
  for (std::uint32_t k = 0; k < classes_; ++k) {
    scores_[k] = std::max(counts_[k], 0.0) + smoothing_;
    total += scores_[k];
  }
  std::vector<double> shares(scores_);
  for (std::uint32_t k = 0; k < classes_; ++k) {
    shares[k] /= total;
    scores_[k] = std::log(shares[k]);
  }
  for (std::size_t c = 0; c < cells_.size(); ++c) {
    const double* counts =
        &counts_[std::size_t{1 + columns_.first(c) + cells_[c]} * classes_];
    for (std::uint32_t k = 0; k < classes_; ++k) {
      const double drawn = smoothing_ * classes_;
      scores_[k] += std::log(std::max(counts[k], 0.0) / shares[k] + drawn);
    }
  }
  const auto best = std::ranges::max_element(scores_) - scores_.begin();
  return {Label::OfClass(static_cast<std::uint32_t>(best))};
}

void NaiveBayes::CountRow(std::uint32_t label) {
  sums_[label] += 1;
  for (std::size_t c = 0; c < cells_.size(); ++c) {
    const std::size_t cell = 1 + columns_.first(c) + cells_[c];
    sums_[cell * classes_ + label] += 1;
  }
}

void NaiveBayes::Learn(FeatureView, const Label& y) {
  CountRow(y.index());
  if (++seen_ % params_.batch == 0) Release();
}

void NaiveBayes::Release() {
  if (deviation_ > 0) noise_.Next(rng_);
  for (std::size_t j = 0; j < sums_.size(); ++j) {
    counts_[j] = sums_[j] + deviation_ * noise_.values()[j];
  }
}

}  // namespace sotto::bench
