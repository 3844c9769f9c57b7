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

// A published model that has a score for each label. Scores a row without a
// session, at no cost.
//
//   SOTTO_TRY_ASSIGN(const auto scorer, MakeScorer(model));
//   if (scorer) ... scorer->Scores(x, scores); scorer->Predict(scores) ...
//
// Threads: const calls may run at the same time.
class Scorer {
 public:
  virtual ~Scorer() = default;

  virtual const LabelType& label_type() const = 0;
  // Number of scores of a row: one, or one a class.
  virtual std::uint32_t outputs() const = 0;
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

// Returns null for a published model without scores: a rule. Fails with
// kInvalidArgument for a damaged one.
Result<std::unique_ptr<const Scorer>> MakeScorer(const Json& model);

}  // namespace sotto::python
