#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "sotto/base/feature_view.h"
#include "sotto/learners/ensembles/indexed_ensemble.h"
#include "sotto/learners/learner.h"

namespace sotto {

// A learner that predicts exactly [feature 0 == point()], 0 if there is none.
template <typename L>
concept PointShaped = SavableLearner<L> && requires(const L& learner) {
  { learner.point() } -> std::same_as<std::optional<double>>;
};

// The number of copies on each point, in a hash table.
//
// Each table has its own random hash key, so that an adversary cannot choose
// colliding points. The key affects time only, never a count.
//
// Threads: const calls may run at the same time.
class PointIndex {
 public:
  using Key = std::optional<double>;

  explicit PointIndex(const std::vector<Key>& keys);

  static Key MakeKey(const PointShaped auto& learner) {
    return learner.point();
  }
  std::int64_t Count(FeatureView x) const;
  void Replace(const Key& before, const Key& after);
  std::size_t memory_bytes() const;

 private:
  // Hash of the number's bits.
  struct Hash {
    std::uint64_t offset;
    std::uint64_t factor;  // Odd.
    std::size_t operator()(std::uint64_t bits) const {
      const std::uint64_t mixed = (bits ^ offset) * factor;
      return (mixed ^ mixed >> 32) * factor >> 16;
    }
  };

  void Add(double point);

  std::unordered_map<std::uint64_t, std::int64_t, Hash> counts_;
};

// k point learners: a vote is one look-up.
//
//   PointEnsemble<PointLearner> ensemble(PointLearner(), 32'000);
//   auto votes = ensemble.Votes(x);
//
// Threads: not thread-safe.
template <PointShaped L>
using PointEnsemble = IndexedEnsemble<L, PointIndex>;

}  // namespace sotto
