#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>

#include "sotto/accounting/guarantee.h"
#include "sotto/base/bytes.h"
#include "sotto/base/result.h"
#include "sotto/mechanisms/mirrors/jdp_mirror.h"
#include "sotto/mechanisms/mirrors/random_step.h"
#include "sotto/mechanisms/mirrors/soft_mirror.h"
#include "sotto/mechanisms/mirrors/staircase_mirror.h"
#include "sotto/random/rng.h"

namespace sotto {

// Mirrors a private stream of bits: "bottom" for a zero, and for a one "bottom"
// at first and "top" in the end. Picks the mechanism with the fewest expected
// mistakes for the target. The mistakes do not depend on the length of the
// stream.
//
//   auto mirror = Mirror::Create({.epsilon = 1, .delta = 1e-6});
//   if (!mirror) return mirror.error();
//   bool top = mirror->Next(/*one=*/true, rng);
//
// Paper:     [Counters] appendix B states the problem.
// Guarantee: (epsilon, delta)-challenge-DP: the other answers do not reveal
//            whether one hidden step was a zero or a one. This holds even
//            against an adversary who chooses all bits and the hidden step
//            along the way.
// Proof:     mirror.md, and the page of the mechanism picked.
// Threads:   not thread-safe; one stream owns one object.
class Mirror {
 public:
  struct Params {
    double epsilon = 0;
    double delta = 0;
    std::uint64_t delay = 1;  // W: the first W ones are surely "bottom".
  };
  enum class Kind : std::uint8_t {
    kRandomStep,
    kStaircaseMirror,
    kJdpMirror,
    kSoftMirror
  };

  // Fails with kInvalidArgument unless epsilon is in [0.05, 10], delta in
  // [1e-12, 0.1], delay in [1, 2^40].
  static Result<Mirror> Create(const Params& params);
  // This kind and no other; fails where the kind does.
  static Result<Mirror> Create(const Params& params, Kind kind);

  bool Next(bool one, Rng& rng) {
    return std::visit([&](auto& m) { return m.Next(one, rng); }, mirror_);
  }

  Kind kind() const { return static_cast<Kind>(mirror_.index()); }
  const Guarantee& guarantee() const;
  // Ones answered "bottom", over an endless stream.
  double expected_mistakes() const;
  // The most there can be; nothing where only the probability of more falls
  // geometrically.
  std::optional<std::uint64_t> worst_mistakes() const;

  // The state is secret, and is resumed once. Load fails with
  // kFailedPrecondition on a state of other parameters or other tables, with
  // kCorruption on bytes that no Save wrote.
  void Save(ByteWriter& writer) const;
  static Result<Mirror> Load(const Params& params, ByteReader& reader);

 private:
  using Any = std::variant<RandomStep, StaircaseMirror, JdpMirror, SoftMirror>;

  explicit Mirror(Any mirror) : mirror_(std::move(mirror)) {}

  template <typename M>
  static Result<Mirror> Wrap(Result<M> mirror);
  template <typename M>
  static typename M::Params ParamsFor(const Params& params);

  Any mirror_;
};

// "random-step", "staircase", "jdp", "soft".
std::string_view ToString(Mirror::Kind kind);

}  // namespace sotto
