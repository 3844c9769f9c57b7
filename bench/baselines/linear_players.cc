#include "bench/baselines/linear_players.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sotto/accounting/gaussian_analytic.h"
#include "sotto/models/tide/tide_hypothesis.h"

namespace sotto::bench {
namespace {

std::size_t CountOutputs(const LabelType& type) {
  return type.kind == LabelType::Kind::kClasses ? type.classes() : 1;
}

}  // namespace

LinearPlayer::LinearPlayer(const LabelType& type, ScaledRows rows)
    : type_(type),
      rows_(std::move(rows)),
      scores_(CountOutputs(type)),
      errors_(CountOutputs(type)),
      weights_(std::size_t{rows_.coordinates()} * CountOutputs(type)) {}

Prediction LinearPlayer::Tell(FeatureView x) {
  row_ = rows_.Encode(x);
  std::ranges::fill(scores_, 0.0);
  for (const Feature& f : row_) {
    const double* weights = &weights_[f.index * scores_.size()];
    for (std::size_t k = 0; k < scores_.size(); ++k) {
      scores_[k] += weights[k] * f.value;
    }
  }
  const TideAnswer answer = PredictFromScores(type_, scores_, 1);
  return {answer.prediction, answer.probability};
}

std::span<const double> LinearPlayer::Errors(const Label& y, double clip) {
  TideErrors(type_, scores_, y, clip, errors_);
  return errors_;
}

AdaptiveRegression::AdaptiveRegression(const LabelType& type, ScaledRows rows,
                                       const Params& params)
    : LinearPlayer(type, std::move(rows)),
      params_(params),
      squares_(weights().size(), 1e-6) {}

Result<std::unique_ptr<Player>> AdaptiveRegression::Create(
    const Schema& schema, const Params& params) {
  SOTTO_TRY_ASSIGN(auto rows, ScaledRows::Create(schema, params.pairs));
  return std::unique_ptr<Player>(
      new AdaptiveRegression(schema.label->type, std::move(rows), params));
}

void AdaptiveRegression::Learn(FeatureView, const Label& y) {
  const std::span<const double> errors = Errors(y, params_.clip);
  for (const Feature& f : row()) {
    for (std::size_t k = 0; k < outputs(); ++k) {
      const std::size_t place = f.index * outputs() + k;
      const double gradient = errors[k] * f.value;
      squares_[place] += gradient * gradient;
      weights()[place] -= params_.rate * gradient / std::sqrt(squares_[place]);
    }
  }
}

TreeFtrl::TreeFtrl(const LabelType& type, ScaledRows rows, const Params& params,
                   double sigma)
    : LinearPlayer(type, std::move(rows)),
      params_(params),
      rng_(params.seed),
      noise_(weights().size(), params.rows / params.batch + 1),
      // Another row moves a sum by twice the clip.
      deviation_(sigma * 2 * params.clip * noise_.reach()),
      sums_(weights().size()) {}

Result<std::unique_ptr<Player>> TreeFtrl::Create(const Schema& schema,
                                                 const Params& params) {
  SOTTO_TRY_ASSIGN(auto rows, ScaledRows::Create(schema, false));
  SOTTO_TRY_ASSIGN(const auto sigma,
                   GaussianSigma(params.epsilon, params.delta, 1));
  return std::unique_ptr<Player>(
      new TreeFtrl(schema.label->type, std::move(rows), params, sigma));
}

void TreeFtrl::Learn(FeatureView, const Label& y) {
  const std::span<const double> errors = Errors(y, params_.clip);
  for (const Feature& f : row()) {
    for (std::size_t k = 0; k < outputs(); ++k) {
      sums_[f.index * outputs() + k] += errors[k] * f.value;
    }
  }
  if (++seen_ % params_.batch == 0) Release();
}

void TreeFtrl::Release() {
  noise_.Next(rng_);
  for (std::size_t j = 0; j < sums_.size(); ++j) {
    weights()[j] = -params_.rate * (sums_[j] + deviation_ * noise_.values()[j]);
  }
}

}  // namespace sotto::bench
