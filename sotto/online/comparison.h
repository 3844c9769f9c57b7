#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <utility>

#include "sotto/base/bytes.h"
#include "sotto/base/feature_view.h"
#include "sotto/base/result.h"
#include "sotto/base/round.h"
#include "sotto/learners/learner.h"

namespace sotto {

// The plain learner on the same rounds, with the same delay of labels: what it
// would cost to have no privacy. Of one of two labels. The operator's own view.
//
//   Comparison plain(learner, label_delay);
//   plain.Play(round);   // after the model has
//   plain.mistakes();    // on labelled rounds, as RunStats::Point::mistakes
//
// Threads: not thread-safe.
class Comparison {
 public:
  // Labels are learned after this many further rounds, empty ones included.
  Comparison(AnyLearner learner, std::uint64_t label_delay)
      : learner_(std::move(learner)), label_delay_(label_delay) {}

  void Play(const Round& round);
  std::uint64_t mistakes() const { return mistakes_; }

  void Save(ByteWriter& writer) const;
  // Into a fresh one. Fails with kCorruption.
  Status Load(ByteReader& reader);

 private:
  struct PendingUpdate {
    FeatureVector x = {};  // empty if there is nothing to learn
    std::optional<bool> y = {};
  };

  static void Write(const PendingUpdate& lesson, ByteWriter& writer);
  static std::optional<PendingUpdate> Read(ByteReader& reader);

  AnyLearner learner_;
  std::uint64_t label_delay_;
  std::uint64_t mistakes_ = 0;
  std::deque<PendingUpdate> waiting_;
};

}  // namespace sotto
