#pragma once

#include <memory>
#include <utility>

#include "sotto/base/bytes.h"
#include "sotto/base/feature_view.h"
#include "sotto/base/label.h"
#include "sotto/base/result.h"
#include "sotto/learners/learner.h"

namespace sotto {

// A learner without privacy, of the labels of a stream: to compare a model with
// (--compare). The operator's own view.
//
// Threads: not thread-safe.
class NonPrivateLearner {
 public:
  virtual ~NonPrivateLearner() = default;
  virtual Label Predict(FeatureView x) const = 0;
  virtual void Update(FeatureView x, const Label& y) = 0;
  // Called once after the last row of a training set, where a model has one.
  virtual void FinishTraining() {}
  virtual void Save(ByteWriter& writer) const = 0;
  // Into a fresh one. Fails with kCorruption.
  virtual Status Load(ByteReader& reader) = 0;
};

// A learner of two labels.
class NonPrivateBinary final : public NonPrivateLearner {
 public:
  explicit NonPrivateBinary(AnyLearner learner)
      : learner_(std::move(learner)) {}
  Label Predict(FeatureView x) const override { return learner_.Predict(x); }
  void Update(FeatureView x, const Label& y) override {
    learner_.Update(x, y.positive());
  }
  void Save(ByteWriter& writer) const override { learner_.Save(writer); }
  Status Load(ByteReader& reader) override { return learner_.Load(reader); }

 private:
  AnyLearner learner_;
};

inline std::unique_ptr<NonPrivateLearner> NonPrivateOver(AnyLearner learner) {
  return std::make_unique<NonPrivateBinary>(std::move(learner));
}

}  // namespace sotto
