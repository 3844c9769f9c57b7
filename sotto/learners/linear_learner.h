#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "sotto/base/bytes.h"
#include "sotto/base/feature_view.h"
#include "sotto/base/result.h"
#include "sotto/learners/learner.h"

namespace sotto {

// The multiplier g of a perceptron: +1 or -1 on a mistake, else 0.
double PerceptronStep(double score, bool y);

// The multiplier g of online logistic regression: rate * (y - sigmoid(score)).
double LogisticStep(double score, bool y, double rate);

// The value of `weights` (one per feature, the bias last) at x. The order of
// summation is part of the contract: ascending features, each by one fused
// multiply-add from 0, then the bias. An ensemble that sums in this order gets
// the same bits. Features past the last weight are ignored.
double LinearScore(std::span<const double> weights, FeatureView x);

// weights[i] = fma(g, x[i], weights[i]) for what x lists, the bias with x = 1.
// A g of 0 changes nothing, not even the sign of a zero.
void LinearStep(double g, FeatureView x, std::span<double> weights);

// Rosenblatt's rule.
// Guarantee: if some unit vector u, bias included, has (2y - 1) <u, x> >= gamma
//   > 0 on all examples and |x| <= R, with 1 counted for the bias, at most
//   (R / gamma)^2 mistakes.
// Proof: learners.md, section 6 (for exact real arithmetic).
struct PerceptronRule {
  double Step(double score, bool y) const { return PerceptronStep(score, y); }
};

// Gradient descent on the logistic loss, with a constant rate.
// Guarantee: for |x| <= R, rate < 3 / R^2, and any u of total loss L(u), the
//   mistakes are at most
//     (L(u) + |u|^2 / (2 rate)) / ((1 - rate R^2 / 3) ln 2),
//   and the regret after T rounds at most |u|^2 / (2 rate) + rate R^2 T / 2.
// Proof: learners.md, section 7 (for exact real arithmetic).
struct LogisticRule {
  double rate = 0.1;
  double Step(double score, bool y) const {
    return LogisticStep(score, y, rate);
  }
};

// Initial bias of a learner with default label 0: too small to matter after one
// update.
constexpr double kLeanBias = -0x1p-100;

// A linear classifier taught by steps along the example: predicts 1 if its
// score is at least 0. Weights start at 0, the bias just below for default
// label 0.
//
//   PerceptronLearner learner(100);
//   bool guess = learner.Predict(x);
//   learner.Update(x, y);
//   std::span<const double> weights = learner.weights();  // 101, bias last
//
// Threads: const calls may run at the same time.
template <typename Rule>
class LinearLearner {
 public:
  explicit LinearLearner(std::uint32_t features, Rule rule = {})
      : rule_(std::move(rule)), weights_(std::size_t{features} + 1) {}

  double Score(FeatureView x) const { return LinearScore(weights_, x); }
  bool Predict(FeatureView x) const { return Score(x) >= 0; }
  void Update(FeatureView x, bool y) {
    LinearStep(rule_.Step(Score(x), y), x, weights_);
  }

  void SetDefaultLabel(bool y) { weights_.back() = y ? 0 : kLeanBias; }

  // One per feature, the bias last.
  std::span<const double> weights() const { return weights_; }
  const Rule& rule() const { return rule_; }

  void Save(ByteWriter& out) const {
    for (const double weight : weights_) out.Real(weight);
  }
  Status Load(ByteReader& in) {
    for (double& weight : weights_) weight = in.Real();
    if (in.failed()) {
      return Corruption("the weights end too soon");
    }
    return Ok();
  }

 private:
  Rule rule_;
  std::vector<double> weights_;
};

using PerceptronLearner = LinearLearner<PerceptronRule>;
using LogisticLearner = LinearLearner<LogisticRule>;
static_assert(SavableLearner<PerceptronLearner>);
static_assert(DefaultLabelLearner<PerceptronLearner>);
static_assert(SavableLearner<LogisticLearner>);

}  // namespace sotto
