#pragma once

#include <concepts>
#include <memory>
#include <utility>

#include "sotto/base/bytes.h"
#include "sotto/base/feature_view.h"
#include "sotto/base/result.h"

namespace sotto {

// An online learner of a binary label, without privacy. A prediction changes no
// state; an update sees one labelled example. Copies are independent values:
// two learners must share nothing that depends on data.
//
//   struct Constant {
//     bool label = false;
//     bool Predict(FeatureView) const { return label; }
//     void Update(FeatureView, bool y) { label = y; }
//   };
//   static_assert(Learner<Constant>);
template <typename L>
concept Learner = std::copyable<L> &&
    requires(const L& frozen, L& learner, FeatureView x, bool y) {
  { frozen.Predict(x) } -> std::same_as<bool>;
  { learner.Update(x, y) } -> std::same_as<void>;
};

// A learner that can be saved. Load reads the output of Save of a learner with
// the same parameters into a fresh learner. If it fails (kCorruption), it may
// leave `learner` in any state.
template <typename L>
concept SavableLearner = Learner<L> &&
    requires(const L& frozen, L& learner, ByteWriter& out, ByteReader& in) {
  { frozen.Save(out) } -> std::same_as<void>;
  { learner.Load(in) } -> std::same_as<Status>;
};

// A learner that scores everything 0 while untaught. SetDefaultLabel sets its
// prediction for that time. Half of the copies of an ensemble default to 0, so
// that untaught copies do not all vote the same. Requires an untaught learner.
template <typename L>
concept DefaultLabelLearner = Learner<L> && requires(L& learner, bool y) {
  { learner.SetDefaultLabel(y) } -> std::same_as<void>;
};

// Any learner, chosen at run time: a value, copied with what it holds.
//
//   AnyLearner learner = ThresholdLearner();
//   learner.Update(x, true);
//
// Threads: as the learner inside; const calls may run at the same time.
class AnyLearner {
 public:
  // Test for the same type first: a constraint that asks if AnyLearner is
  // copyable, while it is being defined, would be circular.
  template <typename L>
  requires(!std::same_as<L, AnyLearner> && SavableLearner<L>)
      AnyLearner(L learner)
      : held_(std::make_unique<Holder<L>>(std::move(learner))) {}
  AnyLearner(const AnyLearner& other) : held_(other.held_->Clone()) {}
  AnyLearner(AnyLearner&&) = default;
  AnyLearner& operator=(const AnyLearner& other) {
    held_ = other.held_->Clone();
    return *this;
  }
  AnyLearner& operator=(AnyLearner&&) = default;
  ~AnyLearner() = default;

  bool Predict(FeatureView x) const { return held_->Predict(x); }
  void Update(FeatureView x, bool y) { held_->Update(x, y); }
  void Save(ByteWriter& out) const { held_->Save(out); }
  Status Load(ByteReader& in) { return held_->Load(in); }
  // Does nothing for a learner without a default label.
  void SetDefaultLabel(bool y) { held_->SetDefaultLabel(y); }

 private:
  struct Base {
    virtual ~Base() = default;
    virtual std::unique_ptr<Base> Clone() const = 0;
    virtual bool Predict(FeatureView x) const = 0;
    virtual void Update(FeatureView x, bool y) = 0;
    virtual void Save(ByteWriter& out) const = 0;
    virtual Status Load(ByteReader& in) = 0;
    virtual void SetDefaultLabel(bool y) = 0;
  };
  template <typename L>
  struct Holder final : Base {
    explicit Holder(L l) : learner(std::move(l)) {}
    std::unique_ptr<Base> Clone() const override {
      return std::make_unique<Holder>(learner);
    }
    bool Predict(FeatureView x) const override { return learner.Predict(x); }
    void Update(FeatureView x, bool y) override { learner.Update(x, y); }
    void Save(ByteWriter& out) const override { learner.Save(out); }
    Status Load(ByteReader& in) override { return learner.Load(in); }
    void SetDefaultLabel(bool y) override {
      if constexpr (DefaultLabelLearner<L>) learner.SetDefaultLabel(y);
    }
    L learner;
  };

  std::unique_ptr<Base> held_;
};
static_assert(SavableLearner<AnyLearner>);

}  // namespace sotto
