#include "extension/scorer.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "sotto/models/registry/registry.h"
#include "sotto/models/tide/tide_model_file.h"
#include "sotto/models/winnow/winnow_publication.h"

namespace sotto::python {
namespace {

class TideScorer final : public Scorer {
 public:
  explicit TideScorer(TideHypothesis hypothesis)
      : hypothesis_(std::move(hypothesis)) {}

  const LabelType& label_type() const override { return hypothesis_.label; }
  std::uint32_t outputs() const override {
    return hypothesis_.weights.outputs();
  }
  bool has_probabilities() const override {
    return label_type().kind != LabelType::Kind::kNumber;
  }
  void Scores(FeatureView x, std::span<double> scores) const override {
    thread_local std::vector<TideFeature> row;
    hypothesis_.frame.encoding().Encode(x, row);
    hypothesis_.Scores(row, hypothesis_.frame.InverseLength(row), scores);
  }
  Label Predict(std::span<const double> scores) const override {
    return PredictFromScores(label_type(), scores, hypothesis_.temper)
        .prediction;
  }
  void Probabilities(std::span<const double> scores,
                     std::span<double> probabilities) const override {
    const double temper = hypothesis_.temper;
    if (label_type().kind == LabelType::Kind::kTwo) {
      const TideAnswer answer = PredictFromScores(label_type(), scores, temper);
      probabilities[1] = *answer.probability;
      probabilities[0] = 1 - probabilities[1];
      return;
    }
    const double top = *std::ranges::max_element(scores);
    double sum = 0;
    for (std::size_t c = 0; c < scores.size(); ++c) {
      sum += probabilities[c] = std::exp(temper * (scores[c] - top));
    }
    for (double& probability : probabilities) probability /= sum;
  }

 private:
  TideHypothesis hypothesis_;
};

class WinnowScorer final : public Scorer {
 public:
  explicit WinnowScorer(ReadHalfspace model)
      : model_(std::move(model)),
        type_{.names = {model_.negative, model_.positive}} {}

  const LabelType& label_type() const override { return type_; }
  std::uint32_t outputs() const override { return 1; }
  bool has_probabilities() const override { return false; }
  void Scores(FeatureView x, std::span<double> scores) const override {
    scores[0] = model_.Score(x);
  }
  Label Predict(std::span<const double> scores) const override {
    return scores[0] > 0;
  }
  void Probabilities(std::span<const double>,
                     std::span<double> probabilities) const override {
    std::ranges::fill(probabilities, std::nan(""));
  }

 private:
  ReadHalfspace model_;
  LabelType type_;
};

class RuleScorer final : public Scorer {
 public:
  explicit RuleScorer(PublishedModel model) : model_(std::move(model)) {}

  const LabelType& label_type() const override { return model_.label; }
  std::uint32_t outputs() const override { return 1; }
  bool has_scores() const override { return false; }
  bool has_probabilities() const override { return false; }
  void Scores(FeatureView x, std::span<double> scores) const override {
    scores[0] = model_.predict(x).prediction.number();
  }
  Label Predict(std::span<const double> scores) const override {
    return model_.label.FromNumber(scores[0]);
  }
  void Probabilities(std::span<const double>,
                     std::span<double> probabilities) const override {
    std::ranges::fill(probabilities, std::nan(""));
  }

 private:
  PublishedModel model_;
};

}  // namespace

bool PublishesScores(std::string_view model) {
  return model == "tide" || model == "winnow";
}

Result<std::unique_ptr<const Scorer>> MakeScorer(const Json& model) {
  const Json* name = model.Find("model");
  const std::string* text = name == nullptr ? nullptr : name->text();
  const ModelFileFormat* format =
      text == nullptr ? nullptr : FindPublishedModel(*text);
  if (format == nullptr) {
    return InvalidArgument("this is nothing that a model has published");
  }
  std::unique_ptr<const Scorer> scorer;
  if (*text == "tide") {
    SOTTO_TRY_ASSIGN(auto read, TideFromJson(model));
    scorer = std::make_unique<TideScorer>(std::move(read.hypothesis));
  } else if (*text == "winnow") {
    SOTTO_TRY_ASSIGN(auto read, ReadPublication(model));
    scorer = std::make_unique<WinnowScorer>(std::move(read));
  } else {
    SOTTO_TRY_ASSIGN(auto read, format->read(model));
    scorer = std::make_unique<RuleScorer>(std::move(read));
  }
  return scorer;
}

}  // namespace sotto::python
