#pragma once

#include <cstdint>
#include <vector>

#include "sotto/base/bytes.h"
#include "sotto/base/feature_view.h"
#include "sotto/base/result.h"
#include "sotto/learners/learner.h"

namespace sotto {

// Learns a halfspace of large margin over many features in [-1, 1]: weights on
// the simplex, updated multiplicatively until answers are right and confident.
//
//   auto learner = ConfidentWinnow::Create({.features = 1000});
//   bool guess = learner->Predict(x);
//   learner->Update(x, y);
//
// The n inputs are the clamped features, a constant 1 for the bias and, unless
// `nonnegative`, the negations of all of them.
//
// Guarantee: if v >= 0 of sum 1 over the inputs has (2y - 1) <v, x> >= margin
//   on every example, at most
//     ln n / ((1 - confidence) rate margin - rate^2 / 2)
//   updates, and no mistake without an update. At the default rate that is
//   2 ln n / ((1 - confidence) margin)^2.
// Paper: ConfidentWinnow, Algorithm 2 and Lemma 9 of "winnow and decision
//   lists"; confidence 0 is the normalized Winnow.
// Proof: learners.md, section 9.
// Threads: const calls may run at the same time.
class ConfidentWinnow {
 public:
  struct Params {
    std::uint32_t features = 1;
    double margin = 0.1;      // rho
    double confidence = 0.5;  // c: confident is a score beyond c * margin
    double rate = 0;          // eta; 0 for (1 - confidence) * margin
    bool nonnegative = false;
  };

  // Requires features >= 1, margin in (0, 1], confidence in [0, 1), rate in
  // [0, 2 (1 - confidence) margin).
  static Result<ConfidentWinnow> Create(const Params& params);

  double Score(FeatureView x) const;
  bool Predict(FeatureView x) const {
    const double score = Score(x);
    return leans_to_one_ ? score >= 0 : score > 0;
  }
  // A score of 0 is not confident and always causes an update, so this changes
  // no update and no bound.
  void SetDefaultLabel(bool y) { leans_to_one_ = y; }
  void Update(FeatureView x, bool y);
  double mistake_bound() const;

  void Save(ByteWriter& out) const;
  Status Load(ByteReader& in);

 private:
  explicit ConfidentWinnow(const Params& params);
  void Weigh();

  Params params_;
  bool leans_to_one_ = true;
  // The sum of rate * (2y - 1) * x over the updates, bias last: the logarithm
  // of an input's weight, less for all the same.
  std::vector<double> logs_;
  // Net weight of each feature: its weight less that of its negation.
  std::vector<double> weights_;
};
static_assert(SavableLearner<ConfidentWinnow>);

}  // namespace sotto
