#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sotto/base/feature_view.h"
#include "sotto/learners/ensembles/indexed_ensemble.h"
#include "sotto/learners/ensembles/order_statistics.h"
#include "sotto/learners/learner.h"

namespace sotto {

// A learner that predicts exactly [feature 0 >= threshold()].
template <typename L>
concept ThresholdShaped = SavableLearner<L> && requires(const L& learner) {
  { learner.threshold() } -> std::same_as<double>;
};

// Counts the thresholds up to x.
//
// Threads: const calls may run at the same time.
class ThresholdIndex {
 public:
  using Key = double;

  explicit ThresholdIndex(const std::vector<Key>& keys) : thresholds_(keys) {}

  static Key MakeKey(const ThresholdShaped auto& learner) {
    return learner.threshold();
  }
  std::int64_t Count(FeatureView x) const {
    return thresholds_.CountUpTo(ValueAt(x, 0));
  }
  void Replace(Key before, Key after) { thresholds_.Replace(before, after); }

  using Position = OrderStatistics::Position;
  void LocateVotes(std::span<const Key> values,
                   std::span<Position> spots) const {
    thresholds_.LocateUpTo(values, spots);
  }
  void LocateKeys(std::span<const Key> keys, std::span<Position> spots) const {
    thresholds_.Locate(keys, spots);
  }
  static Key GetValue(FeatureView x) { return ValueAt(x, 0); }
  std::int64_t Count(Key value, const Position& spot) const {
    return thresholds_.CountUpTo(value, spot);
  }
  void Replace(Key before, const Position& from, Key after,
               const Position& to) {
    thresholds_.Replace(before, from, after, to);
  }
  // Change of a vote if one copy moves from a key to the other.
  static std::int64_t Change(Key before, Key after, Key value) {
    return static_cast<std::int64_t>(after <= value) -
           static_cast<std::int64_t>(before <= value);
  }

  std::size_t memory_bytes() const { return thresholds_.memory_bytes(); }

 private:
  OrderStatistics thresholds_;
};

// k threshold learners: a vote costs O(log k).
//
//   ThresholdEnsemble<ThresholdLearner> ensemble(learner, 32'000);
//   auto votes = ensemble.Votes(x);
//
// Threads: not thread-safe.
template <ThresholdShaped L>
using ThresholdEnsemble = IndexedEnsemble<L, ThresholdIndex>;

}  // namespace sotto
