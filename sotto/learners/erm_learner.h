#pragma once

#include <cstddef>
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

// The function of a finite class with the fewest errors on all examples; ties:
// the middle one in the order of the class.
//
//   ErmLearner learner(functions);
//   learner.Update(x, y);
//   bool guess = learner.Predict(x);  // of functions[learner.best()]
//
// Guarantee: none on mistakes in any order; on examples that are drawn
//   independently its error is within sqrt(2 ln(2 |H| / beta) / m) of the best,
//   with probability 1 - beta, after m of them. learners.md, section 14.
// Threads: const calls may run at the same time.
class ErmLearner {
 public:
  // The class is public and never changes, so copies may share it.
  explicit ErmLearner(std::shared_ptr<const FiniteClass> functions)
      : functions_(std::move(functions)), errors_(functions_->size()) {
    Choose();
  }

  std::size_t best() const { return best_; }
  const std::shared_ptr<const FiniteClass>& functions() const {
    return functions_;
  }
  bool Predict(FeatureView x) const {
    const auto point = functions_->FindPoint(x);
    return point && functions_->Label(best_, *point);
  }
  void Update(FeatureView x, bool y);  // O(|H|)

  void Save(ByteWriter& out) const;
  Status Load(ByteReader& in);

 private:
  void Choose();

  std::shared_ptr<const FiniteClass> functions_;
  std::vector<std::uint32_t> errors_;
  std::size_t best_ = 0;
};
static_assert(SavableLearner<ErmLearner>);

}  // namespace sotto
