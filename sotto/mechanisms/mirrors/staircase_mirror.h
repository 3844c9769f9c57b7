#pragma once

#include <cstdint>
#include <vector>

#include "sotto/accounting/guarantee.h"
#include "sotto/base/bytes.h"
#include "sotto/base/result.h"
#include "sotto/mechanisms/mirrors/mirror_distribution.h"
#include "sotto/mechanisms/mirrors/mirror_promise.h"
#include "sotto/random/rng.h"

namespace sotto {

// One stair of a staircase: ones are answered "top" with probability
// threshold / 2^64 each, until `length` (a secret draw) tops were given.
struct Stair {
  std::uint64_t threshold = 0;
  MirrorDistribution length;

  long double top() const {
    return static_cast<long double>(threshold) * 0x1p-64L;
  }
};

// The whole staircase: a secret number of silent ones, then the stairs, then
// always "top".
struct Staircase {
  MirrorDistribution silence;
  std::vector<Stair> stairs;

  double ExpectedMistakes() const;
};

// How far a staircase is from epsilon-indistinguishable, certified from above:
// the hidden one against the hidden zero, and the reverse. Infinite where the
// theorem does not apply: a ratio is too large, or a threshold falls
// (staircase_mirror.md, step 6).
struct StaircaseDeltas {
  double one_over_zero = 0;
  double zero_over_one = 0;
};
StaircaseDeltas ComputeDelta(const Staircase& staircase, double epsilon);

// Answers "top" to ones, rarely at first and always in the end, through stairs
// of rising frequency whose lengths are counted in tops. Works for every
// epsilon; the number of wrong answers does not depend on the length of the
// stream. Zeros are always answered "bottom".
//
//   auto mirror = StaircaseMirror::Create({.epsilon = 0.5, .delta = 1e-6});
//   if (!mirror) return mirror.error();
//   bool top = mirror->Next(/*one=*/true, rng);
//
// Paper:     grown out of [Counters] Algorithm 2, JDP-Mirror, and RandomStep,
//            which is the staircase without stairs.
// Guarantee: (epsilon, delta)-challenge-DP: the other answers do not reveal
//            whether one hidden step was a zero or a one.
// Proof:     staircase_mirror.md.
// Threads:   not thread-safe; one stream owns one object.
class StaircaseMirror {
 public:
  struct Params {
    double epsilon = 0;
    double delta = 0;
    std::uint64_t delay = 1;  // W: the first W ones are surely "bottom".
    // In epsilon's place for zero over one; 0: epsilon. Where only the sum of
    // the two is paid, a small one ends sooner.
    double back = 0;
  };

  // Searches the staircase with the fewest expected mistakes. Fails with
  // kInvalidArgument unless epsilon is in [0.05, 10], delta in [1e-12, 0.1],
  // delay in [1, 2^40], back in [0, epsilon]; with kNotConverged if nothing
  // found can be certified.
  static Result<StaircaseMirror> Create(const Params& params);

  bool Next(bool one, Rng& rng);

  const Guarantee& guarantee() const { return guarantee_; }
  // Each direction at its own epsilon.
  const StaircaseDeltas& deltas() const { return deltas_; }
  double expected_mistakes() const { return staircase_.ExpectedMistakes(); }
  const Staircase& staircase() const { return staircase_; }

  // The state is secret, and is resumed once. Load fails with
  // kFailedPrecondition on a state of other parameters or other tables, with
  // kCorruption on bytes that no Save wrote.
  void Save(ByteWriter& writer) const;
  static Result<StaircaseMirror> Load(const Params& params, ByteReader& reader);
  // The same for a mirror with the tables of this one, without a search.
  Result<StaircaseMirror> Resumed(ByteReader& reader) const;
  // Digest of all integers of the sampler.
  std::uint64_t digest() const { return head_.digest; }

 private:
  StaircaseMirror(const Params& params, Staircase staircase,
                  const StaircaseDeltas& deltas, Guarantee guarantee);

  // Draws the lengths of the silence and of all stairs.
  void Draw(Rng& rng);
  std::uint64_t Longest(std::size_t phase) const;

  MirrorHead head_;
  Staircase staircase_;
  StaircaseDeltas deltas_;
  Guarantee guarantee_;
  bool drawn_ = false;
  // Rest of the silence (ones), then of each stair (tops). The first that is
  // not 0 is running; all 0 is "top" indefinitely.
  std::vector<std::uint64_t> left_;
};

}  // namespace sotto
