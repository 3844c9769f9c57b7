#pragma once

#include <cstdint>

#include "sotto/accounting/guarantee.h"
#include "sotto/base/bytes.h"
#include "sotto/base/result.h"
#include "sotto/mechanisms/mirrors/mirror_promise.h"
#include "sotto/mechanisms/mirrors/soft_mirror_delta.h"
#include "sotto/random/rng.h"

namespace sotto {

// Answers the c-th one "top" with a probability that rises with c, a fresh coin
// each time. Nothing about it is secret but the count. Zeros are always
// answered "bottom".
//
//   auto mirror = SoftMirror::Create({.epsilon = 0.5, .delta = 1e-6});
//   if (!mirror) return mirror.error();
//   bool top = mirror->Next(/*one=*/true, rng);
//
// Guarantee: (epsilon, delta)-challenge-DP: the other answers do not reveal
//            whether one hidden step was a zero or a one.
// Proof:     soft_mirror.md.
// Threads:   not thread-safe; one stream owns one object.
class SoftMirror {
 public:
  struct Params {
    double epsilon = 0;
    double delta = 0;
    std::uint64_t delay = 1;  // W: the first W ones are surely "bottom".
  };

  // Fails with kInvalidArgument unless epsilon is in [0.1, 10], delta in
  // [1e-12, 0.1], delay in [1, 2^40]; with kNotConverged if no ramp found can
  // be certified.
  static Result<SoftMirror> Create(const Params& params);

  bool Next(bool one, Rng& rng);

  const Guarantee& guarantee() const { return guarantee_; }
  double expected_mistakes() const;
  // Ones after which no more mistakes occur.
  std::uint64_t worst_mistakes() const { return head_.delay + ramp_.size(); }
  const SoftRamp& ramp() const { return ramp_; }

  // The state, a count, is secret, and is resumed once. Load fails with
  // kFailedPrecondition on a state of other parameters or another ramp, with
  // kCorruption on bytes that no Save wrote.
  void Save(ByteWriter& writer) const;
  static Result<SoftMirror> Load(const Params& params, ByteReader& reader);

 private:
  SoftMirror(const Params& params, SoftRamp ramp, Guarantee guarantee);

  MirrorHead head_;
  SoftRamp ramp_;
  Guarantee guarantee_;
  std::uint64_t ones_ = 0;  // Stops at the end of the ramp.
};

}  // namespace sotto
