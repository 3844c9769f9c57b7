#pragma once

#include <cstdint>
#include <deque>
#include <utility>

#include "sotto/base/bytes.h"
#include "sotto/base/result.h"
#include "sotto/base/round.h"
#include "sotto/learners/learner.h"

namespace sotto::app {

using Example = Round;

// The plain learner on the same stream, with the same delay of labels: what it
// would cost to have no privacy. The operator's own view.
//
// Threads: not thread-safe.
class Comparison {
 public:
  Comparison(AnyLearner learner, std::uint64_t label_delay)
      : learner_(std::move(learner)), label_delay_(label_delay) {}

  // Whether the learner errs on this round; then teaches what is due.
  bool Errs(const Example& example);

  void Save(ByteWriter& writer) const;
  // Into a fresh one. Fails with kCorruption.
  Status Load(ByteReader& reader);

 private:
  AnyLearner learner_;
  std::uint64_t label_delay_;
  std::deque<Example> waiting_;
};

}  // namespace sotto::app
