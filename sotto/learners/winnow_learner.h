#pragma once

#include <cstdint>
#include <vector>

#include "sotto/base/bytes.h"
#include "sotto/base/feature_view.h"
#include "sotto/base/result.h"
#include "sotto/learners/learner.h"

namespace sotto {

// Littlestone's Winnow: learns an OR of few among many features in [0, 1] with
// few mistakes, by doubling and halving weights.
//
//   WinnowLearner learner({.features = 1000, .negations = true});
//   bool guess = learner.Predict(x);
//   learner.Update(x, y);
//
// With `negations` each feature x also counts as 1 - x, so that literals may be
// negated. Features are clamped to [0, 1]. Weights never fall below 1/32: after
// a drift they recover in a few rounds.
//
// Guarantee: an OR of k of n Boolean inputs (n = features, or twice that with
//   negations), D changes of it: fewer than 23/7 u + 32/7 mistakes,
//     u = k ((D + 1) max(0, ceil(log2(n / 2))) + 5 D).
// Paper: Littlestone 1988, Winnow 2 (with a floor).
// Proof: learners.md, section 8.
// Threads: const calls may run at the same time.
class WinnowLearner {
 public:
  struct Params {
    std::uint32_t features = 1;
    bool negations = false;
  };

  // Requires features >= 1.
  explicit WinnowLearner(Params params);

  bool Predict(FeatureView x) const { return Score(x) >= target_; }
  void Update(FeatureView x, bool y);

  void Save(ByteWriter& out) const;
  Status Load(ByteReader& in);

 private:
  // Calls visit(input, value) for the inputs that are not 0.
  template <typename Visit>
  void ForInputs(FeatureView x, const Visit& visit) const;
  double Score(FeatureView x) const;

  Params params_;
  double target_;  // Half the number of inputs.
  std::vector<double> weights_;
};
static_assert(SavableLearner<WinnowLearner>);

}  // namespace sotto
