#include "sotto/models/tide/tide_hypothesis.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "sotto/base/portable_math.h"
#include "sotto/models/tide/tide_calibration.h"

namespace sotto {
namespace {

double Logistic(double score) { return 1 / (1 + PortableExp(-score)); }

// Turns scores into probabilities.
void SoftMax(std::span<double> scores) {
  const double top = *std::ranges::max_element(scores);
  double sum = 0;
  for (double& score : scores) sum += score = PortableExp(score - top);
  for (double& score : scores) score /= sum;
}

// Without a number 0, which is within the clip, too.
double Clip(double error, double clip) {
  return std::isnan(error) ? 0 : std::clamp(error, -clip, clip);
}

}  // namespace

double FindTidePlace(const LabelType& type, double number) {
  return std::clamp((number - type.low) / (type.high - type.low), 0.0, 1.0);
}

void TideWeights::Scores(std::span<const TideFeature> row,
                         double inverse_length,
                         std::span<double> scores) const {
  if (outputs_ == 1) {
    double sum = kTideBias * values_[0] - offsets_[0];
    for (const TideFeature& f : row) sum += values_[f.index] * f.value;
    scores[0] = sum * inverse_length;
    return;
  }
  for (std::size_t c = 0; c < outputs_; ++c) {
    scores[c] = kTideBias * values_[c] - offsets_[c];
  }
  for (const TideFeature& f : row) {
    const double* own = &values_[std::size_t{f.index} * outputs_];
    for (std::size_t c = 0; c < outputs_; ++c) scores[c] += own[c] * f.value;
  }
  for (double& score : scores) score *= inverse_length;
}

void TideWeights::Centre(const TideFrame& frame) {
  std::ranges::fill(offsets_, 0.0);
  for (std::size_t j = 1; j * outputs_ < values_.size(); ++j) {
    const double mean = frame.mean(j);
    if (mean == 0) continue;
    for (std::size_t c = 0; c < outputs_; ++c) {
      offsets_[c] += mean * values_[j * outputs_ + c];
    }
  }
}

void TideErrors(const LabelType& type, std::span<const double> scores,
                const Label& y, double clip, std::span<double> errors) {
  if (type.kind != LabelType::Kind::kClasses) {
    const double aim = type.kind == LabelType::Kind::kTwo
                           ? (y.positive() ? 1 : 0)
                           : FindTidePlace(type, y.number());
    errors[0] = Clip(Logistic(scores[0]) - aim, clip);
    return;
  }
  std::ranges::copy(scores, errors.begin());
  SoftMax(errors);
  errors[y.index()] -= 1;
  double squares = 0;
  for (const double error : errors) squares += error * error;
  if (squares <= clip * clip) return;
  if (!std::isfinite(squares)) {
    std::ranges::fill(errors, 0.0);
    return;
  }
  // A little shorter than the clip, for what doubles lose.
  const double shrink = clip * (1 - 1e-12) / std::sqrt(squares);
  for (double& error : errors) error *= shrink;
}

TideAnswer PredictFromScores(const LabelType& type,
                             std::span<const double> scores, double temper) {
  if (type.kind == LabelType::Kind::kTwo) {
    return {scores[0] > 0, Logistic(temper * scores[0])};
  }
  if (type.kind == LabelType::Kind::kNumber) {
    const double place = Logistic(scores[0]);
    return {Label::OfNumber(std::clamp(
        type.low + place * (type.high - type.low), type.low, type.high))};
  }
  const auto top = std::ranges::max_element(scores);
  double sum = 0;
  for (const double score : scores) sum += PortableExp(temper * (score - *top));
  return {Label::OfClass(static_cast<std::uint32_t>(top - scores.begin())),
          1 / sum};
}

void TideHypothesis::Scores(std::span<const TideFeature> row,
                            double inverse_length,
                            std::span<double> scores) const {
  weights.Scores(row, inverse_length, scores);
  for (double& score : scores) score += level;
}

TideAnswer TideHypothesis::Predict(FeatureView x) const {
  std::vector<TideFeature> row;
  frame.encoding().Encode(x, row);
  return Predict(row);
}

TideAnswer TideHypothesis::Predict(std::span<const TideFeature> row) const {
  return Predict(row, frame.InverseLength(row));
}

TideAnswer TideHypothesis::Predict(std::span<const TideFeature> row,
                                   double inverse_length) const {
  if (weights.outputs() == 1) {
    double score = 0;
    Scores(row, inverse_length, {&score, 1});
    return PredictFromScores(label, {&score, 1}, temper);
  }
  std::vector<double> scores(weights.outputs());
  Scores(row, inverse_length, scores);
  return PredictFromScores(label, scores, temper);
}

}  // namespace sotto
