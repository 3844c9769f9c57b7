#include "sotto/models/tide/non_private_tide.h"

#include <cmath>
#include <utility>

#include "sotto/models/tide/tide_hypothesis.h"

namespace sotto {
namespace {

constexpr double kStep = 0.1;
constexpr double kNoClip = 2;  // an error is no longer than the root of 2

}  // namespace

NonPrivateTide::NonPrivateTide(TideEncoding encoding, LabelType label)
    : encoding_(std::move(encoding)),
      label_(std::move(label)),
      outputs_(label_.kind == LabelType::Kind::kClasses ? label_.classes() : 1),
      weights_(encoding_.coordinates() * outputs_, 0.0),
      squares_(weights_.size(), 0.0) {}

void NonPrivateTide::Score(FeatureView x, std::vector<TideFeature>& row,
                           std::vector<double>& scores) const {
  encoding_.Encode(x, row);
  scores.assign(weights_.begin(),
                weights_.begin() + static_cast<std::ptrdiff_t>(outputs_));
  for (const TideFeature& feature : row) {
    for (std::size_t c = 0; c < outputs_; ++c) {
      scores[c] += weights_[feature.index * outputs_ + c] * feature.value;
    }
  }
}

Label NonPrivateTide::Predict(FeatureView x) const {
  std::vector<TideFeature> row;
  std::vector<double> scores;
  Score(x, row, scores);
  return PredictFromScores(label_, scores, 1).prediction;
}

void NonPrivateTide::Step(std::size_t coordinate, double value,
                          std::span<const double> errors) {
  for (std::size_t c = 0; c < outputs_; ++c) {
    const std::size_t j = coordinate * outputs_ + c;
    const double gradient = errors[c] * value;
    if (gradient == 0) continue;
    squares_[j] += gradient * gradient;
    weights_[j] -= kStep * gradient / std::sqrt(squares_[j]);
  }
}

void NonPrivateTide::Update(FeatureView x, const Label& y) {
  std::vector<TideFeature> row;
  std::vector<double> scores;
  Score(x, row, scores);
  std::vector<double> errors(outputs_);
  TideErrors(label_, scores, y, kNoClip, errors);
  Step(0, 1, errors);
  for (const TideFeature& feature : row) {
    Step(feature.index, feature.value, errors);
  }
}

void NonPrivateTide::Save(ByteWriter& writer) const {
  for (const auto& numbers : {weights_, squares_}) {
    for (const double number : numbers) writer.Real(number);
  }
}

Status NonPrivateTide::Load(ByteReader& reader) {
  if (reader.RoomFor(8) < 2 * weights_.size()) {
    return Corruption("the saved weights without privacy are too few");
  }
  for (auto* numbers : {&weights_, &squares_}) {
    for (double& number : *numbers) {
      number = reader.Real();
      if (!std::isfinite(number)) {
        return Corruption("a saved weight without privacy is no number");
      }
    }
  }
  return Ok();
}

}  // namespace sotto
