#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "sotto/learners/best_stump_learner.h"
#include "sotto/learners/confident_winnow.h"
#include "sotto/learners/decision_list_learner.h"
#include "sotto/learners/learner_entry.h"
#include "sotto/learners/learner_keys.h"
#include "sotto/learners/linear_learner.h"
#include "sotto/learners/stump_learner.h"
#include "sotto/learners/weighted_majority_learner.h"
#include "sotto/learners/winnow_learner.h"

namespace sotto {
namespace {

constexpr double kGridBits = 53;

// Facts of a learner with this bound, if it is known without the labels.
LearnerFacts Facts(const LearnerSpec& spec, std::optional<double> bound) {
  LearnerFacts facts{.needs_features = true};
  if (spec.features > 0) facts.mistake_bound = bound;
  return facts;
}
LearnerFacts NoBound(const LearnerSpec& spec) { return Facts(spec, {}); }

// Makes it, once the number of features is known.
template <Result<AnyLearner> (*make)(const LearnerSpec&)>
Result<AnyLearner> Counted(const LearnerSpec& spec) {
  if (spec.features > 0) return make(spec);
  return InvalidArgument(spec.name + " needs the number of features: " +
                         spec.name + ":features=N");
}

Result<AnyLearner> MakeStump(const LearnerSpec& spec) {
  return AnyLearner(StumpLearner(spec.features, spec.range));
}
LearnerFacts StumpFacts(const LearnerSpec& spec) {
  return Facts(spec, 2.0 * spec.features * (kGridBits + 1) - 1);
}

Result<AnyLearner> MakeBestStump(const LearnerSpec& spec) {
  return AnyLearner(BestStumpLearner(spec.features, spec.range));
}
LearnerFacts BestStumpFacts(const LearnerSpec& spec) {
  LearnerFacts facts = Facts(spec, {});
  facts.complexity = 2;
  return facts;
}

Result<AnyLearner> MakeWinnowLearner(const LearnerSpec& spec) {
  return AnyLearner(
      WinnowLearner({.features = spec.features, .negations = spec.negations}));
}

ConfidentWinnow::Params WinnowParams(const LearnerSpec& spec) {
  return {.features = spec.features,
          .margin = spec.margin,
          .confidence = spec.confidence,
          .rate = spec.rate.value_or(0),
          .nonnegative = spec.nonnegative};
}
Result<AnyLearner> MakeConfident(const LearnerSpec& spec) {
  SOTTO_TRY_ASSIGN(auto winnow, ConfidentWinnow::Create(WinnowParams(spec)));
  return AnyLearner(std::move(winnow));
}
LearnerFacts ConfidentFacts(const LearnerSpec& spec) {
  const auto winnow = ConfidentWinnow::Create(WinnowParams(spec));
  return Facts(spec,
               winnow ? std::optional(winnow->mistake_bound()) : std::nullopt);
}

Result<AnyLearner> MakePerceptron(const LearnerSpec& spec) {
  return AnyLearner(PerceptronLearner(spec.features));
}

Result<AnyLearner> MakeLogistic(const LearnerSpec& spec) {
  return AnyLearner(LogisticLearner(spec.features,
                                    {spec.rate.value_or(LogisticRule{}.rate)}));
}

Result<AnyLearner> MakeList(const LearnerSpec& spec) {
  constexpr std::uint32_t kMostFeatures = 65'000;
  if (spec.features > kMostFeatures) {
    return InvalidArgument("decision-list takes at most 65000 features");
  }
  return AnyLearner(OnlineDecisionListLearner(spec.features));
}
LearnerFacts ListFacts(const LearnerSpec& spec) {
  const double features = spec.features;
  return Facts(spec, (4 * features + 2) * (features + 1));
}

Result<AnyLearner> MakeExperts(const LearnerSpec& spec) {
  return AnyLearner(WeightedMajorityLearner(spec.features));
}
LearnerFacts ExpertsFacts(const LearnerSpec& spec) {
  return Facts(
      spec, std::log(static_cast<double>(spec.features)) / std::log(4.0 / 3));
}

}  // namespace

std::vector<LearnerEntry> FeatureLearners() {
  return {{.name = "stump",
           .help = "threshold on one feature, in either direction",
           .keys = {&kFeaturesKey, &kRangeKey},
           .facts = StumpFacts,
           .make = Counted<MakeStump>},
          {.name = "best-stump",
           .help = "threshold on one feature with the fewest errors",
           .keys = {&kFeaturesKey, &kRangeKey},
           .facts = BestStumpFacts,
           .make = Counted<MakeBestStump>},
          {.name = "winnow",
           .help = "OR of few features",
           .keys = {&kFeaturesKey, &kNegationsKey},
           .facts = NoBound,
           .make = Counted<MakeWinnowLearner>},
          {.name = "confident-winnow",
           .help = "halfspace with a margin and few weights",
           .keys = {&kFeaturesKey, &kMarginKey, &kConfidenceKey, &kRateKey,
                    &kNonnegativeKey},
           .facts = ConfidentFacts,
           .make = Counted<MakeConfident>},
          {.name = "perceptron",
           .help = "halfspace",
           .keys = {&kFeaturesKey},
           .facts = NoBound,
           .make = Counted<MakePerceptron>},
          {.name = "logistic",
           .help = "halfspace, by logistic regression",
           .keys = {&kFeaturesKey, &kRateKey},
           .facts = NoBound,
           .make = Counted<MakeLogistic>},
          {.name = "decision-list",
           .help = "if / else if / else over Boolean features",
           .keys = {&kFeaturesKey},
           .facts = ListFacts,
           .make = Counted<MakeList>},
          {.name = "experts",
           .help = "weighted majority of the features",
           .keys = {&kFeaturesKey},
           .facts = ExpertsFacts,
           .make = Counted<MakeExperts>}};
}

}  // namespace sotto
