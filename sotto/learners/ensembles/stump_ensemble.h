#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "sotto/base/feature_view.h"
#include "sotto/learners/ensembles/indexed_ensemble.h"
#include "sotto/learners/ensembles/order_statistics.h"
#include "sotto/learners/learner.h"

namespace sotto {

// A learner that predicts exactly
// (feature axis() >= threshold()) == positive_above().
template <typename L>
concept StumpShaped = SavableLearner<L> && requires(const L& learner) {
  { learner.axis() } -> std::same_as<std::uint32_t>;
  { learner.threshold() } -> std::same_as<double>;
  { learner.positive_above() } -> std::same_as<bool>;
};

// For each axis on which some copy stands, the thresholds of the copies that
// say 1 above theirs and of those that say 1 below.
//
// Threads: const calls may run at the same time.
class StumpIndex {
 public:
  struct Key {
    std::uint32_t axis;
    bool above;
    double threshold;
    friend bool operator==(const Key&, const Key&) = default;
  };

  explicit StumpIndex(const std::vector<Key>& keys);

  static Key MakeKey(const StumpShaped auto& learner) {
    return {learner.axis(), learner.positive_above(), learner.threshold()};
  }
  std::int64_t Count(FeatureView x) const;
  void Replace(const Key& before, const Key& after);
  std::size_t memory_bytes() const;

 private:
  using Thresholds = std::array<OrderStatistics, 2>;  // Below, above.
  std::map<std::uint32_t, Thresholds> axes_;
};

// k decision stumps: a vote costs O(log k) for each axis in use.
//
//   StumpEnsemble<StumpLearner> ensemble(learner, 32'000);
//   auto votes = ensemble.Votes(x);
//
// Threads: not thread-safe.
template <StumpShaped L>
using StumpEnsemble = IndexedEnsemble<L, StumpIndex>;

}  // namespace sotto
