#pragma once

#include "sotto/base/bytes.h"
#include "sotto/base/feature_view.h"
#include "sotto/base/result.h"
#include "sotto/learners/classes/finite_class.h"
#include "sotto/learners/learner.h"
#include "sotto/learners/weighted_majority_learner.h"

namespace sotto {

// Learns a finite class from arbitrary labels, by the weighted majority of all
// its functions. The class must outlive it.
//
//   AgnosticLearner learner(&functions);
//
// Guarantee: with m the mistakes of the best function of H, d the Littlestone
//     dimension of H and N its points, on any labels, for d >= 1: at most (m ln
//     2 + ln |H|) / ln(4/3) <= 2.41 m + 3.48 d ln(e N / d)
//   mistakes. Points outside the class are answered 0 and not counted.
// Paper: the form of Ben-David, Pal and Shalev-Shwartz 2009, with N in place of
// the horizon: for a finite class the functions themselves are the experts.
// Proof: learners.md, section 12.
// Threads: const calls may run at the same time.
class AgnosticLearner {
 public:
  explicit AgnosticLearner(const FiniteClass* functions)
      : functions_(functions), blame_(functions->size()) {}

  bool Predict(FeatureView x) const;  // O(|H|)
  void Update(FeatureView x, bool y);

  void Save(ByteWriter& out) const { blame_.Save(out); }
  Status Load(ByteReader& in) { return blame_.Load(in); }

 private:
  const FiniteClass* functions_;
  ExpertBlame blame_;
};
static_assert(SavableLearner<AgnosticLearner>);

}  // namespace sotto
