#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "sotto/base/feature_view.h"
#include "sotto/base/json.h"
#include "sotto/base/label.h"
#include "sotto/base/result.h"

namespace sotto::python {

// A published model. Scores a row, or applies a rule to it, without a session
// and at no cost.
//
//   SOTTO_TRY_ASSIGN(const auto scorer, MakeScorer(model));
//   scorer->Scores(x, scores);
//   scorer->Predict(scores) ...
//
// Threads: const calls may run at the same time.
class Scorer {
 public:
  virtual ~Scorer() = default;

  virtual const LabelType& label_type() const = 0;
  // Number of scores of a row: one, or one a class.
  virtual std::uint32_t outputs() const = 0;
  // False for a rule, whose only score is its prediction.
  virtual bool has_scores() const { return true; }
  // Returns whether Probabilities may be called.
  virtual bool has_probabilities() const = 0;

  virtual void Scores(FeatureView x, std::span<double> scores) const = 0;
  virtual Label Predict(std::span<const double> scores) const = 0;
  // One probability for each label.
  virtual void Probabilities(std::span<const double> scores,
                             std::span<double> probabilities) const = 0;
};

// Returns whether a model of the registry publishes scores.
bool PublishesScores(std::string_view model);

// Fails with kInvalidArgument for what no model has published.
Result<std::unique_ptr<const Scorer>> MakeScorer(const Json& model);

}  // namespace sotto::python
