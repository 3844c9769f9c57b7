#pragma once

#include <cstdint>
#include <vector>

#include "sotto/base/bytes.h"
#include "sotto/base/feature_view.h"
#include "sotto/base/result.h"
#include "sotto/learners/learner.h"

namespace sotto {

// Counts the blame of N experts: an expert with blame c has weight 2^-c. An
// expert is blamed if it is wrong together with the majority. Sums are rounded
// to 53 bits, which can decide only nearly even votes.
class ExpertBlame {
 public:
  explicit ExpertBlame(std::size_t experts) : blame_(experts) {}

  // The weight of those with advice(i) is above half of all.
  template <typename Advice>
  bool Majority(const Advice& advice) const {
    double balance = 0;
    for (std::size_t i = 0; i < blame_.size(); ++i) {
      balance += advice(i) ? GetWeight(i) : -GetWeight(i);
    }
    return balance > 0;
  }
  // Blames those whose advice was not y, if the majority's was not.
  template <typename Advice>
  void Learn(const Advice& advice, bool y) {
    if (Majority(advice) == y) return;
    for (std::size_t i = 0; i < blame_.size(); ++i) {
      if (advice(i) != y) ++blame_[i];
    }
    Settle();
  }

  void Save(ByteWriter& out) const;
  Status Load(ByteReader& in);

 private:
  double GetWeight(std::size_t expert) const;
  // Only differences matter: keeps the least blame at 0.
  void Settle();

  std::vector<std::uint32_t> blame_;
};

// The weighted majority of experts whose advice is in the features: expert i
// predicts 1 if feature i is above 1/2.
//
//   WeightedMajorityLearner learner(10);
//   bool guess = learner.Predict(x);
//   learner.Update(x, y);
//
// Guarantee: against the best of N experts, with m mistakes, on any labels: at
// most (m ln 2 + ln N) / ln(4/3) <= 2.41 (m + log2 N) mistakes. Not claimed:
// drift. An expert that was wrong for long keeps a low weight for long.
// Paper: Littlestone and Warmuth 1994, beta = 1/2.
// Proof: learners.md, section 11.
// Threads: const calls may run at the same time.
class WeightedMajorityLearner {
 public:
  // Requires experts >= 1.
  explicit WeightedMajorityLearner(std::uint32_t experts) : blame_(experts) {}

  bool Predict(FeatureView x) const {
    return blame_.Majority([&](std::size_t i) { return Says(x, i); });
  }
  void Update(FeatureView x, bool y) {
    blame_.Learn([&](std::size_t i) { return Says(x, i); }, y);
  }

  void Save(ByteWriter& out) const { blame_.Save(out); }
  Status Load(ByteReader& in) { return blame_.Load(in); }

 private:
  static bool Says(FeatureView x, std::size_t expert) {
    return ValueAt(x, static_cast<std::uint32_t>(expert)) > 0.5;
  }

  ExpertBlame blame_;
};
static_assert(SavableLearner<WeightedMajorityLearner>);

}  // namespace sotto
