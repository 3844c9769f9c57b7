#pragma once

#include <cstdint>

#include "sotto/accounting/guarantee.h"
#include "sotto/base/bytes.h"
#include "sotto/base/result.h"
#include "sotto/mechanisms/mirrors/mirror_distribution.h"
#include "sotto/mechanisms/mirrors/mirror_promise.h"
#include "sotto/random/rng.h"

namespace sotto {

// Answers "top" to ones, but not from the start: a secret number S of ones, at
// least `delay`, is answered "bottom" first. Zeros are always answered
// "bottom". One draw for the whole stream, and never more than worst_mistakes()
// wrong answers, however long the stream.
//
//   auto mirror = RandomStep::Create({.epsilon = 1, .delta = 1e-6});
//   if (!mirror) return mirror.error();
//   bool top = mirror->Next(/*one=*/true, rng);
//
// Guarantee: (epsilon, delta)-challenge-DP: the other answers do not reveal
//            whether one hidden step was a zero or a one.
// Proof:     random_step.md.
// Threads:   not thread-safe; one stream owns one object.
class RandomStep {
 public:
  struct Params {
    double epsilon = 0;
    double delta = 0;
    std::uint64_t delay = 1;  // W: the first W ones are surely "bottom".
  };
  // Distance of the distribution of S from epsilon-indistinguishable, certified
  // from above, for the hidden one against the hidden zero and the reverse.
  struct Deltas {
    double one_over_zero = 0;
    double zero_over_one = 0;
  };

  // Fails with kInvalidArgument unless epsilon is in [0.05, 10], delta in
  // [1e-12, 0.1], delay in [1, 2^40], and if S would have more than
  // MirrorDistribution::kMaxSize / 2 values: below ln 2 it has (2 - e^epsilon)
  // / delta.
  static Result<RandomStep> Create(const Params& params);

  bool Next(bool one, Rng& rng);

  const Guarantee& guarantee() const { return guarantee_; }
  double expected_mistakes() const { return distribution_.Mean(); }
  std::uint64_t worst_mistakes() const { return distribution_.last(); }
  const MirrorDistribution& distribution() const { return distribution_; }

  // The state is secret, and is resumed once. Load fails with
  // kFailedPrecondition on a state of other parameters or other tables, with
  // kCorruption on bytes that no Save wrote.
  void Save(ByteWriter& writer) const;
  static Result<RandomStep> Load(const Params& params, ByteReader& reader);

  // random_step.md, step 3. Exact up to the rounding it adds.
  static Deltas ComputeDelta(const MirrorDistribution& distribution,
                             double epsilon);

 private:
  RandomStep(const Params& params, MirrorDistribution distribution,
             Guarantee guarantee);

  MirrorHead head_;
  MirrorDistribution distribution_;
  Guarantee guarantee_;
  bool drawn_ = false;
  std::uint64_t left_ = 0;  // Ones still to be answered "bottom".
};

}  // namespace sotto
