#pragma once

#include <array>
#include <cstdint>

#include "sotto/accounting/guarantee.h"
#include "sotto/base/bytes.h"
#include "sotto/base/result.h"
#include "sotto/mechanisms/mirrors/mirror_distribution.h"
#include "sotto/mechanisms/mirrors/mirror_promise.h"
#include "sotto/random/rng.h"

namespace sotto {

// The published shape in three numbers: P(i) proportional to
// e^(-slope |i - (size + 1) / 2|) on 1, ..., size.
struct JdpShape {
  double activation = 0;
  double slope = 0;
  std::uint64_t size = 0;
  friend bool operator==(const JdpShape&, const JdpShape&) = default;

  // The shape with the fewest expected mistakes for (epsilon, delta). Fails
  // with kInvalidArgument where the theorem has none: epsilon must exceed
  // ln 1.5.
  static Result<JdpShape> Best(double epsilon, double delta);
  // The same with this slope, 1/2 in the paper: the largest activation, and the
  // shortest distribution. Fails with kInvalidArgument where there is none; for
  // the slope 1/2 epsilon must exceed 0.53.
  static Result<JdpShape> WithSlope(double epsilon, double delta, double slope);
};

// The numbers behind a JdpMirror: each one is active with probability
// activation / 2^64, and both counters wait for `length` active ones.
struct JdpDesign {
  std::uint64_t activation = 0;  // the paper's epsilon
  MirrorDistribution length;     // the paper's P_delta

  long double active() const {
    return static_cast<long double>(activation) * 0x1p-64L;
  }

  // The published shape. Fails with kInvalidArgument unless activation is in
  // (0, 1) and the distribution can be represented.
  static Result<JdpDesign> Published(double activation, double slope,
                                     std::size_t size);
  // The published shape with the fewest expected mistakes for (epsilon, delta).
  // Fails with kInvalidArgument where the theorem has none: epsilon must exceed
  // ln 1.5.
  static Result<JdpDesign> Best(double epsilon, double delta);
};

// How far a design is from epsilon-indistinguishable, certified from above: the
// hidden one against the hidden zero, and the reverse. Infinite where the
// theorem does not apply (jdp_mirror.md, step 6).
struct JdpDeltas {
  double one_over_zero = 0;
  double zero_over_one = 0;
};
JdpDeltas ComputeDelta(const JdpDesign& design, double epsilon);

// Answers "top" to ones after two secret counters have run down: while the
// first runs every answer is "bottom", while the second runs an active one is
// answered "top", and then every one is. With `first_count` = K above 1 it is
// the paper's Delayed-Mirror.
//
//   auto mirror = JdpMirror::Create({.epsilon = 0.65, .delta = 1e-6});
//   if (!mirror) return mirror.error();
//   bool top = mirror->Next(/*one=*/true, rng);
//
// Paper:     [Counters] Algorithm 2 and Remark B.5.
// Guarantee: (epsilon, delta)-challenge-DP: the other answers do not reveal
//            whether one hidden step was a zero or a one. Theorem B.4 of the
//            paper promises more, and is wrong for small epsilon:
//            docs/papers/mirror-counterexample.md.
// Proof:     jdp_mirror.md.
// Threads:   not thread-safe; one stream owns one object.
class JdpMirror {
 public:
  struct Params {
    double epsilon = 0;
    double delta = 0;
    std::uint64_t delay = 1;        // W: the first W ones are surely "bottom".
    std::uint64_t first_count = 1;  // K: K - 1 is added to the first counter.
  };

  // Fails with kInvalidArgument unless epsilon is in (ln 1.5, 10], delta in
  // [1e-12, 0.1], delay and first_count in [1, 2^40].
  static Result<JdpMirror> Create(const Params& params);
  // The same with a design of the caller's; fails with kNotConverged if it
  // cannot be certified at (epsilon, delta).
  static Result<JdpMirror> Create(const Params& params, JdpDesign design);

  bool Next(bool one, Rng& rng);

  const Guarantee& guarantee() const { return guarantee_; }
  double expected_mistakes() const;
  const JdpDesign& design() const { return design_; }

  // The state is secret, and is resumed once. Load fails with
  // kFailedPrecondition on a state of other parameters or other tables, with
  // kCorruption on bytes that no Save wrote.
  void Save(ByteWriter& writer) const;
  static Result<JdpMirror> Load(const Params& params, ByteReader& reader);
  // The same for a mirror that was made with this design.
  static Result<JdpMirror> Load(const Params& params, JdpDesign design,
                                ByteReader& reader);

 private:
  JdpMirror(const Params& params, JdpDesign design, Guarantee guarantee);

  static Result<JdpMirror> Resume(Result<JdpMirror> mirror, ByteReader& reader);

  MirrorHead head_;
  std::uint64_t first_count_;
  JdpDesign design_;
  Guarantee guarantee_;
  bool drawn_ = false;
  // Rest of the delay (ones), of the first counter and of the second (active
  // ones). The first that is not 0 is running; all 0 is "top" indefinitely.
  std::array<std::uint64_t, 3> left_ = {0, 0, 0};
};

}  // namespace sotto
