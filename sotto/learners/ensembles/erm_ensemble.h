#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "sotto/base/feature_view.h"
#include "sotto/learners/ensembles/indexed_ensemble.h"
#include "sotto/learners/erm_learner.h"

namespace sotto {

// The number of copies at each function of the class.
//
// Threads: const calls may run at the same time.
class ErmIndex {
 public:
  struct Key {
    const ErmLearner* learner;  // any of them: for its class
    std::size_t best;
    friend bool operator==(const Key& a, const Key& b) {
      return a.best == b.best;
    }
  };

  // Requires at least one key, all of one class.
  explicit ErmIndex(const std::vector<Key>& keys)
      : functions_(keys.front().learner->functions()),
        holders_(functions_->size()) {
    for (const Key& key : keys) ++holders_[key.best];
  }

  static Key MakeKey(const ErmLearner& learner) {
    return {&learner, learner.best()};
  }
  std::int64_t Count(FeatureView x) const {
    const auto point = functions_->FindPoint(x);
    if (!point) return 0;
    std::int64_t votes = 0;
    for (std::size_t h = 0; h < holders_.size(); ++h) {
      if (functions_->Label(h, *point)) votes += holders_[h];
    }
    return votes;
  }
  void Replace(const Key& before, const Key& after) {
    ++holders_[after.best];
    --holders_[before.best];
  }
  std::size_t memory_bytes() const {
    return holders_.capacity() * sizeof(std::int64_t);
  }

 private:
  std::shared_ptr<const FiniteClass> functions_;
  std::vector<std::int64_t> holders_;
};

// k copies: a vote costs O(|H|).
//
//   ErmEnsemble ensemble(ErmLearner(functions), 32'000);
//
// Threads: not thread-safe.
using ErmEnsemble = IndexedEnsemble<ErmLearner, ErmIndex>;

}  // namespace sotto
