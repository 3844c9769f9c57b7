#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "sotto/accounting/guarantee.h"
#include "sotto/base/bytes.h"
#include "sotto/base/label.h"
#include "sotto/base/result.h"
#include "sotto/base/round.h"
#include "sotto/mechanisms/counters/counter.h"
#include "sotto/online/run_stats.h"
#include "sotto/random/history_rng.h"

namespace sotto {

// How many mistakes a run has made, for anybody to see: a private running
// count, paid for with a part of the run's guarantee.
//
//   const auto shares = ShareWithMistakes({1, 1e-6});
//   auto mistakes = PublicMistakes::Create(shares->mistakes, horizon, key);
//   std::int64_t shown = mistakes->Add(round);   // of every round, also empty
//
// Only mistakes of one of two labels or of k classes are counted, and only
// those whose label comes with its round: see "Not claimed" on the page.
//
// Guarantee: with a model of shares.model the whole is what was asked for.
// Proof:     public_mistakes.md, next to this file.
// Threads:   not thread-safe.
struct PublicShares {
  ApproximateDp model;
  ApproximateDp mistakes;
};
// A tenth for the mistakes. Fails with kInvalidArgument unless epsilon and
// delta are positive.
Result<PublicShares> ShareWithMistakes(const ApproximateDp& whole);

class PublicMistakes {
 public:
  // horizon 0: not known. Fails as Counter does.
  static Result<PublicMistakes> Create(const ApproximateDp& share,
                                       std::uint64_t horizon, const Key& key);
  // True if a private count of the mistakes is possible. Labels that are
  // numbers do not allow one: their errors are not bits.
  static bool CanCount(const LabelType& type) {
    return CountsMistakes(type.kind);
  }

  // One round more, whatever became of it; the estimate after it, at least 0
  // and at most the rounds. Past 64 times the horizon nothing is counted.
  std::int64_t Add(const Round& round) { return Add(IsMistake(round)); }
  std::int64_t Add(bool mistake);
  std::int64_t shown() const { return shown_; }
  // The rounds that were counted.
  std::uint64_t rounds() const { return counter_.steps(); }
  double error_bound() const { return counter_.ErrorBound(); }

  void Save(ByteWriter& writer) const;
  // Fails with kCorruption.
  static Result<PublicMistakes> Load(const ApproximateDp& share,
                                     std::uint64_t horizon, ByteReader& reader);

 private:
  PublicMistakes(Counter counter, std::uint64_t horizon, const Key& key)
      : counter_(std::move(counter)), horizon_(horizon), place_(key) {}

  Counter counter_;
  std::uint64_t horizon_;
  Key place_;  // of the history of mistakes
  std::int64_t shown_ = 0;
};

}  // namespace sotto
