#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sotto/base/feature_view.h"
#include "sotto/learners/ensembles/indexed_ensemble.h"
#include "sotto/learners/ensembles/order_statistics.h"
#include "sotto/learners/learner.h"

namespace sotto {

// A learner that predicts exactly [lower() <= feature 0 <= upper()].
template <typename L>
concept IntervalShaped = SavableLearner<L> && requires(const L& learner) {
  { learner.lower() } -> std::same_as<double>;
  { learner.upper() } -> std::same_as<double>;
};

// Counts the intervals that began up to x and did not end before it.
//
// Threads: const calls may run at the same time.
class IntervalIndex {
 public:
  struct Key {
    double lower;
    double upper;
    bool empty() const { return !(lower <= upper); }
    friend bool operator==(const Key&, const Key&) = default;
  };

  explicit IntervalIndex(const std::vector<Key>& keys);

  static Key MakeKey(const IntervalShaped auto& learner) {
    return {learner.lower(), learner.upper()};
  }
  std::int64_t Count(FeatureView x) const {
    const double value = ValueAt(x, 0);
    return lowers_.CountUpTo(value) - uppers_.CountBelow(value);
  }
  void Replace(const Key& before, const Key& after);
  std::size_t memory_bytes() const {
    return lowers_.memory_bytes() + uppers_.memory_bytes();
  }

 private:
  // The ends of intervals that are not empty. An empty one has no vote, and its
  // ends are in the wrong order.
  OrderStatistics lowers_;
  OrderStatistics uppers_;
};

// k interval learners: a vote costs O(log k).
//
//   IntervalEnsemble<IntervalLearner> ensemble(learner, 32'000);
//   auto votes = ensemble.Votes(x);
//
// Threads: not thread-safe.
template <IntervalShaped L>
using IntervalEnsemble = IndexedEnsemble<L, IntervalIndex>;

}  // namespace sotto
