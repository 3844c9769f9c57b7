#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "sotto/learners/ensembles/copies.h"
#include "sotto/learners/ensembles/ensemble.h"
#include "sotto/learners/ensembles/huge_pages.h"
#include "sotto/learners/learner.h"

namespace sotto {

// Requirements of an index: a Key that determines a copy's predictions, and the
// number of keys that vote 1.
template <typename Index, typename L>
concept FindIndex = requires(const L& learner, Index& index,
                             const Index& frozen, typename Index::Key key,
                             FeatureView x) {
  { Index::MakeKey(learner) } -> std::same_as<typename Index::Key>;
  { key == key } -> std::convertible_to<bool>;
  Index(std::vector<typename Index::Key>{});
  index.Replace(key, key);
  { frozen.Count(x) } -> std::same_as<std::int64_t>;
  { frozen.memory_bytes() } -> std::same_as<std::size_t>;
};

// An index that can locate many votes or changes in one call, and can compute
// the effect of one moved copy on a vote.
template <typename Index>
concept LocatingIndex = requires(Index& index, const Index& frozen,
                                 typename Index::Key key,
                                 typename Index::Position spot, FeatureView x,
                                 std::span<const typename Index::Key> keys,
                                 std::span<typename Index::Position> spots) {
  { Index::GetValue(x) } -> std::same_as<typename Index::Key>;
  frozen.LocateVotes(keys, spots);
  frozen.LocateKeys(keys, spots);
  { frozen.Count(key, spot) } -> std::same_as<std::int64_t>;
  index.Replace(key, spot, key, spot);
  { Index::Change(key, key, key) } -> std::same_as<std::int64_t>;
};

// k copies with an index that counts votes without a loop over the copies.
//
//   IndexedEnsemble<ThresholdLearner, ThresholdIndex> ensemble(learner, 900);
//   auto votes = ensemble.Votes(x);
//
// Proof: ensembles.md, "Indexed". Threads: not thread-safe.
template <SavableLearner L, FindIndex<L> Index>
class IndexedEnsemble final : public Ensemble {
 public:
  // Requires copies >= 1.
  IndexedEnsemble(const L& fresh, std::int64_t copies)
      : copies_(static_cast<std::size_t>(copies), fresh), index_(Keys()) {}

  std::int64_t copies() const override {
    return static_cast<std::int64_t>(copies_.size());
  }
  Result<std::int64_t> Votes(FeatureView x) override { return index_.Count(x); }
  Status Update(std::int64_t copy, FeatureView x, bool y) override {
    TeachOne(copy, x, y);
    return Ok();
  }
  // Proof: ensembles.md, "Play of the indexed".
  Status Play(std::span<const Step> steps,
              std::span<std::int64_t> votes) override {
    for (std::size_t i = 0; i < steps.size(); i += kTogether) {
      PlayBatch(steps, i, std::min(kTogether, steps.size() - i),
                votes.data() + i);
    }
    return Ok();
  }
  Status Teach(std::span<const Step> steps) override {
    for (std::size_t i = 0; i < steps.size(); i += kTogether) {
      PlayBatch(steps, i, std::min(kTogether, steps.size() - i), nullptr);
    }
    return Ok();
  }
  std::size_t preferred_batch_size() const override { return 4 * kTogether; }

  Status Save(ByteWriter& out) override {
    SaveCopies<L>(copies_, out);
    return Ok();
  }
  Status Load(ByteReader& in) override {
    Status status = LoadCopies<L>(copies_, in);
    if (status) index_ = Index(Keys());
    return status;
  }

  // Memory of the copies (without their heap) and the index.
  std::size_t memory_bytes() const {
    return sizeof(*this) + copies_.capacity() * sizeof(L) +
           index_.memory_bytes();
  }

 private:
  using Key = typename Index::Key;
  static constexpr std::size_t kTogether = 64;

  // The moves of some steps.
  struct Moves {
    std::array<Key, kTogether> before;
    std::array<Key, kTogether> after;
    std::size_t count = 0;

    void Add(const Key& from, const Key& to) {
      before[count] = from;
      after[count] = to;
      count += from == to ? 0 : 1;
    }
  };

  void TeachOne(std::int64_t copy, FeatureView x, bool y) {
    L& learner = copies_[static_cast<std::size_t>(copy)];
    const Key before = Index::MakeKey(learner);
    learner.Update(x, y);
    const Key after = Index::MakeKey(learner);
    if (!(before == after)) index_.Replace(before, after);
  }
  void Fetch(const Step& step) const {
    __builtin_prefetch(copies_.data() + std::max<std::int64_t>(step.copy, 0),
                       1);
  }

  // Plays steps[first, first + count); without votes, teaches only.
  void PlayBatch(std::span<const Step> steps, std::size_t first,
                 std::size_t count, std::int64_t* votes) {
    const auto now = steps.subspan(first, count);
    if (first == 0) {
      for (const Step& step : now) Fetch(step);
    }
    const std::size_t next = first + count;
    const auto later =
        steps.subspan(next, std::min(kTogether, steps.size() - next));
    if constexpr (LocatingIndex<Index>) {
      PlayBlock(now, later, votes);
    } else {
      for (const Step& step : later) Fetch(step);
      for (std::size_t i = 0; i < count; ++i) {
        if (votes != nullptr) votes[i] = index_.Count(now[i].x);
        if (now[i].copy == Step::kNobody) continue;
        TeachOne(now[i].copy, now[i].x, now[i].y);
      }
    }
  }

  // The index does not change while all steps are counted and taught. Moves
  // before a step are counted one by one.
  void PlayBlock(std::span<const Step> now, std::span<const Step> later,
                 std::int64_t* votes) {
    std::array<Key, kTogether> values;
    std::array<typename Index::Position, kTogether> spots;
    if (votes != nullptr) {
      for (std::size_t i = 0; i < now.size(); ++i) {
        values[i] = Index::GetValue(now[i].x);
      }
      index_.LocateVotes(std::span(values).first(now.size()), spots);
    }
    Moves moves;
    std::array<std::size_t, kTogether> moved;  // Before each step.
    for (std::size_t i = 0; i < now.size(); ++i) {
      if (i < later.size()) Fetch(later[i]);
      moved[i] = moves.count;
      if (now[i].copy == Step::kNobody) continue;
      L& learner = copies_[static_cast<std::size_t>(now[i].copy)];
      const Key before = Index::MakeKey(learner);
      learner.Update(now[i].x, now[i].y);
      moves.Add(before, Index::MakeKey(learner));
    }
    if (votes != nullptr) {
      for (std::size_t i = 0; i < now.size(); ++i) {
        votes[i] = index_.Count(values[i], spots[i]);
        for (std::size_t j = 0; j < moved[i]; ++j) {
          votes[i] += Index::Change(moves.before[j], moves.after[j], values[i]);
        }
      }
    }
    Apply(moves);
  }

  void Apply(const Moves& moves) {
    std::array<typename Index::Position, kTogether> from;
    std::array<typename Index::Position, kTogether> to;
    const std::size_t n = moves.count;
    index_.LocateKeys(std::span(moves.before).first(n), from);
    index_.LocateKeys(std::span(moves.after).first(n), to);
    for (std::size_t j = 0; j < n; ++j) {
      index_.Replace(moves.before[j], from[j], moves.after[j], to[j]);
    }
  }

  std::vector<typename Index::Key> Keys() const {
    std::vector<typename Index::Key> keys;
    keys.reserve(copies_.size());
    for (const L& copy : copies_) keys.push_back(Index::MakeKey(copy));
    return keys;
  }

  std::vector<L, HugePageAllocator<L>> copies_;
  Index index_;
};

}  // namespace sotto
