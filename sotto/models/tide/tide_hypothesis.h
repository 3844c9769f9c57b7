#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sotto/base/bytes.h"
#include "sotto/base/feature_view.h"
#include "sotto/base/label.h"
#include "sotto/base/result.h"
#include "sotto/models/tide/tide_encoding.h"
#include "sotto/models/tide/tide_frame.h"

namespace sotto {

// Answer to one user.
struct TideAnswer {
  Label prediction;
  // Probability of the positive label or of the predicted class; none for
  // numbers.
  std::optional<double> probability = {};
};

// One linear function of a row's coordinates for every output: one, or one a
// class.
class TideWeights {
 public:
  TideWeights(std::size_t coordinates, std::uint32_t outputs)
      : outputs_(outputs),
        values_(coordinates * outputs, 0.0),
        offsets_(outputs, 0.0) {}

  // The score of every output. `inverse_length` is that of the frame.
  void Scores(std::span<const TideFeature> row, double inverse_length,
              std::span<double> scores) const;
  // To be called whenever values or means have changed.
  void Centre(const TideFrame& frame);

  std::uint32_t outputs() const { return outputs_; }
  std::span<double> values() { return values_; }
  std::span<const double> values() const { return values_; }

 private:
  std::uint32_t outputs_;
  std::vector<double> values_;   // by coordinate and output
  std::vector<double> offsets_;  // sum of mean * value
};

// A number's place in its range, in [0, 1].
double FindTidePlace(const LabelType& type, double number);

// A row's error in every output, p minus what the label says, shortened to
// length `clip`; 0 if a score is not a number. Whatever the scores are, the
// result is within the clip, as the integers behind it rely on.
void TideErrors(const LabelType& type, std::span<const double> scores,
                const Label& y, double clip, std::span<double> errors);

// Returns the prediction for these scores. Probabilities are those of scores
// times `temper`.
TideAnswer PredictFromScores(const LabelType& type,
                             std::span<const double> scores, double temper);

// Published weights: a logistic function of a row's coordinates.
//
//   const TideHypothesis& h = tide.hypothesis();
//   Label label = h.Predict(x).prediction;
//
// Threads: const calls may run at the same time.
struct TideHypothesis {
  TideFrame frame;
  TideWeights weights;
  LabelType label;
  // Scores with noise in them are too sure: probabilities are those of scores
  // times this.
  double temper = 1;
  // Score of a row without weights. Numbers only.
  double level = 0;

  // The score of every output, the level included.
  void Scores(std::span<const TideFeature> row, double inverse_length,
              std::span<double> scores) const;
  TideAnswer Predict(FeatureView x) const;
  TideAnswer Predict(std::span<const TideFeature> row) const;
  // The same if the frame's InverseLength of the row is known.
  TideAnswer Predict(std::span<const TideFeature> row,
                     double inverse_length) const;
};

}  // namespace sotto
