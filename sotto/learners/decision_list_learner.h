#pragma once

#include <cstdint>
#include <vector>

#include "sotto/base/bytes.h"
#include "sotto/base/feature_view.h"
#include "sotto/base/result.h"
#include "sotto/learners/learner.h"

namespace sotto {

// Learns a decision list over Boolean features (true above 1/2): "if x3 then 1,
// else if not x1 then 0, ..., else 1".
//
//   OnlineDecisionListLearner learner(20);
//   bool guess = learner.Predict(x);
//   learner.Update(x, y);
//
// Every rule (a feature, its negation, or always; then 0 or 1) has a level, at
// first level 1. The rules that apply on the first level where any does vote,
// ties give 0; on a mistake those that voted wrongly go down one level. A list
// over d features never needs a rule below level d + 2, so a rule that would go
// there shows drift or a wrong label, and all rules restart.
//
// Guarantee: labels of a list of r rules, the final "else" included, over d
//   features: at most (4d + 2) r mistakes, and r <= d + 1 is always enough;
//   with D changes at most (4d + 2) (d + 1) (D + 1) + D, with n wrong labels
//   (4d + 2) (d + 1) (n + 1) + n.
// Proof: learners.md, section 10.
// Threads: const calls may run at the same time.
class OnlineDecisionListLearner {
 public:
  // Requires 1 <= features <= 65,000.
  explicit OnlineDecisionListLearner(std::uint32_t features);

  bool Predict(FeatureView x) const { return Decide(x).answer; }  // O(features)
  void Update(FeatureView x, bool y);

  void Save(ByteWriter& out) const;
  Status Load(ByteReader& in);

 private:
  struct Decision {
    std::uint16_t level;
    bool answer;
  };

  // The rules that apply to x are (condition, 0) and (condition, 1) of these
  // conditions: 2i + 1 if feature i is true, 2i if not, and the last always.
  template <typename Visit>
  void ForConditions(FeatureView x, const Visit& visit) const;
  Decision Decide(FeatureView x) const;

  std::uint32_t features_;
  std::vector<std::uint16_t> levels_;  // Level of rule 2 * condition + label.
};
static_assert(SavableLearner<OnlineDecisionListLearner>);

}  // namespace sotto
