#include <bit>
#include <cmath>
#include <string>
#include <utility>

#include "sotto/learners/agnostic_learner.h"
#include "sotto/learners/confident_winnow.h"
#include "sotto/learners/decision_list_learner.h"
#include "sotto/learners/interval_learner.h"
#include "sotto/learners/learner_spec.h"
#include "sotto/learners/linear_learner.h"
#include "sotto/learners/point_learner.h"
#include "sotto/learners/stump_learner.h"
#include "sotto/learners/version_space_learner.h"
#include "sotto/learners/weighted_majority_learner.h"
#include "sotto/learners/winnow_learner.h"

namespace sotto {
namespace {

constexpr double kGridBits = 53;
constexpr std::uint32_t kMaxListFeatures = 65'000;

// A learner of a finite class that keeps the class alive.
template <SavableLearner L>
class WithClass {
 public:
  WithClass(std::shared_ptr<const FiniteClass> functions, L learner)
      : functions_(std::move(functions)), learner_(std::move(learner)) {}

  bool Predict(FeatureView x) const { return learner_.Predict(x); }
  void Update(FeatureView x, bool y) { learner_.Update(x, y); }
  void Save(ByteWriter& out) const { learner_.Save(out); }
  Status Load(ByteReader& in) { return learner_.Load(in); }

 private:
  std::shared_ptr<const FiniteClass> functions_;
  L learner_;
};

bool HasClass(const LearnerSpec& spec) {
  return spec.name == "halving" || spec.name == "soa" ||
         spec.name == "agnostic";
}

bool NeedsFeatures(const LearnerSpec& spec) {
  return !HasClass(spec) && spec.name != "threshold" &&
         spec.name != "interval" && spec.name != "point" && spec.name != "exec";
}

ConfidentWinnow::Params WinnowParams(const LearnerSpec& spec) {
  return {.features = spec.features,
          .margin = spec.margin,
          .confidence = spec.confidence,
          .rate = spec.rate.value_or(0),
          .nonnegative = spec.nonnegative};
}

Result<AnyLearner> MakeOfClass(const LearnerSpec& spec) {
  if (!spec.functions) return InvalidArgument(spec.name + " needs a class");
  const FiniteClass* functions = spec.functions.get();
  if (spec.name == "halving") {
    return AnyLearner(WithClass(spec.functions, HalvingLearner(functions)));
  }
  if (spec.name == "agnostic") {
    return AnyLearner(WithClass(spec.functions, AgnosticLearner(functions)));
  }
  auto soa = SoaLearner::Create(functions);
  if (!soa) return soa.error();
  return AnyLearner(WithClass(spec.functions, *std::move(soa)));
}

Result<AnyLearner> MakeOfFeatures(const LearnerSpec& spec) {
  const std::uint32_t features = spec.features;
  if (features == 0) {
    return InvalidArgument(spec.name + " needs the number of features: " +
                           spec.name + ":features=N");
  }
  if (spec.name == "stump") {
    return AnyLearner(StumpLearner(features, spec.range));
  }
  if (spec.name == "winnow") {
    return AnyLearner(
        WinnowLearner({.features = features, .negations = spec.negations}));
  }
  if (spec.name == "confident-winnow") {
    auto winnow = ConfidentWinnow::Create(WinnowParams(spec));
    if (!winnow) return winnow.error();
    return AnyLearner(*std::move(winnow));
  }
  if (spec.name == "perceptron") return AnyLearner(PerceptronLearner(features));
  if (spec.name == "logistic") {
    return AnyLearner(
        LogisticLearner(features, {spec.rate.value_or(LogisticRule{}.rate)}));
  }
  if (spec.name == "decision-list") {
    if (features > kMaxListFeatures) {
      return InvalidArgument("decision-list takes at most 65000 features");
    }
    return AnyLearner(OnlineDecisionListLearner(features));
  }
  if (spec.name == "experts") {
    return AnyLearner(WeightedMajorityLearner(features));
  }
  return InvalidArgument("no learner is called '" + spec.name + "'");
}

void AddClassFacts(const LearnerSpec& spec, LearnerFacts& facts) {
  if (!spec.functions) return;
  const std::size_t size = spec.functions->size();
  if (spec.name == "halving") {
    facts.mistake_bound = std::bit_width(size) - 1;
  } else if (spec.name == "soa") {
    const auto soa = SoaLearner::Create(spec.functions.get());
    if (soa) facts.mistake_bound = soa->dimension();
  } else {
    facts.mistake_bound =
        std::log(static_cast<double>(size)) / std::log(4.0 / 3);
  }
}

// Those whose bound depends on the number of features.
void AddFeatureFacts(const LearnerSpec& spec, LearnerFacts& facts) {
  const double features = spec.features;
  if (spec.name == "stump") {
    facts.mistake_bound = 2 * features * (kGridBits + 1) - 1;
  } else if (spec.name == "decision-list") {
    facts.mistake_bound = (4 * features + 2) * (features + 1);
  } else if (spec.name == "experts") {
    facts.mistake_bound = std::log(features) / std::log(4.0 / 3);
  } else if (spec.name == "confident-winnow") {
    const auto winnow = ConfidentWinnow::Create(WinnowParams(spec));
    if (winnow) facts.mistake_bound = winnow->mistake_bound();
  }
  if (spec.features == 0) facts.mistake_bound.reset();
}

}  // namespace

Result<AnyLearner> MakeLearner(const LearnerSpec& spec) {
  if (spec.name == "threshold") return AnyLearner(ThresholdLearner(spec.range));
  if (spec.name == "interval") return AnyLearner(IntervalLearner(spec.range));
  if (spec.name == "point") return AnyLearner(PointLearner());
  if (spec.name == "exec") {
    return InvalidArgument("exec is a program, not a learner in this process");
  }
  return HasClass(spec) ? MakeOfClass(spec) : MakeOfFeatures(spec);
}

LearnerFacts FactsOf(const LearnerSpec& spec) {
  LearnerFacts facts;
  facts.needs_features = NeedsFeatures(spec);
  facts.one_number = !facts.needs_features && spec.name != "exec";
  if (spec.name == "threshold") {
    facts.mistake_bound = kGridBits;
    facts.complexity = 1;
    facts.fast = true;
    facts.thresholds = true;
  } else if (spec.name == "interval") {
    facts.mistake_bound = 2 * kGridBits;
    facts.complexity = 2;
  } else if (spec.name == "point") {
    facts.mistake_bound = 1;
    facts.fast = true;
  } else if (HasClass(spec)) {
    AddClassFacts(spec, facts);
  } else {
    AddFeatureFacts(spec, facts);
  }
  return facts;
}

}  // namespace sotto
