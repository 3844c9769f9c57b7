#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "sotto/base/bytes.h"
#include "sotto/base/feature_view.h"
#include "sotto/base/result.h"
#include "sotto/learners/classes/finite_class.h"
#include "sotto/learners/learner.h"

namespace sotto {

// Both learners keep the version space: the functions of a finite class that
// explain all learned examples. If an example leaves none (drift, or a wrong
// label), the version space restarts from the whole class with that example.
// The class must outlive the learner.

// The halving algorithm: predicts with the majority of the version space.
//
//   HalvingLearner learner(&functions);
//   bool guess = learner.Predict(x);  // x[0] is the number of a point
//   learner.Update(x, y);
//
// Guarantee: b = floor(log2 |H|): at most b mistakes on the labels of a
//   function of H; with D changes of it (b + 1) (D + 1); with n wrong labels
//   (b + 1) (2n + 1).
// Proof: learners.md, section 5.
// Threads: const calls may run at the same time.
class HalvingLearner {
 public:
  explicit HalvingLearner(const FiniteClass* functions)
      : functions_(functions), space_(functions->All()) {}

  bool Predict(FeatureView x) const;  // O(|H| / 64)
  void Update(FeatureView x, bool y);
  const FiniteClass::Set& space() const { return space_; }

  void Save(ByteWriter& out) const;
  Status Load(ByteReader& in);

 private:
  const FiniteClass* functions_;
  FiniteClass::Set space_;
};
static_assert(SavableLearner<HalvingLearner>);

// Littlestone's standard optimal algorithm: predicts the label that leaves the
// larger Littlestone dimension (0 if equal), and learns from mistakes alone.
// No learner has a smaller mistake bound.
//
// It computes its predictions on all points after each mistake, so a prediction
// is one look-up. That work grows fast with the class: Create refuses classes
// of more than kMaxSize functions or points, and classes that need too much
// initial work. Copies share a cache of results. These are functions of the
// class and the version space, so only the time of an update depends on what
// other copies have learned.
//
//   auto learner = SoaLearner::Create(&functions);
//
// Guarantee: d the Littlestone dimension of H: at most d mistakes on the labels
//   of a function of H; with D changes of it (d + 1) (D + 1); with n wrong
//   labels (d + 1) (2n + 1).
// Proof: learners.md, section 5.
// Threads: const calls may run at the same time.
class SoaLearner {
 public:
  static constexpr std::size_t kMaxSize = 4096;
  // Nodes of LittlestoneDimension at the start, times the words of the class:
  // about a second.
  static constexpr std::uint64_t kMaxWork = 2'000'000'000;

  static Result<SoaLearner> Create(const FiniteClass* functions);

  bool Predict(FeatureView x) const {
    const auto point = functions_->FindPoint(x);
    return point && (*answers_)[*point];
  }
  void Update(FeatureView x, bool y);
  // Littlestone's dimension of the whole class: the mistake bound.
  int dimension() const { return dimension_; }

  void Save(ByteWriter& out) const;
  Status Load(ByteReader& in);

 private:
  class Memory;  // the answers of version spaces

  SoaLearner(const FiniteClass* functions, std::shared_ptr<Memory> memory)
      : functions_(functions),
        memory_(std::move(memory)),
        space_(functions->All()) {}

  const FiniteClass* functions_;
  std::shared_ptr<Memory> memory_;
  FiniteClass::Set space_;
  std::shared_ptr<const std::vector<bool>> answers_;
  int dimension_ = 0;
};
static_assert(SavableLearner<SoaLearner>);

}  // namespace sotto
