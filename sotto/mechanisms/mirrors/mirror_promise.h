#pragma once

#include <cstdint>
#include <string_view>

#include "sotto/accounting/guarantee.h"
#include "sotto/base/bytes.h"
#include "sotto/base/result.h"
#include "sotto/mechanisms/mirrors/mirror_distribution.h"

namespace sotto {

// Shared by the mirrors: the limits of their parameters, the sentence of their
// guarantee, and the head of their saved states.
//
//   auto valid = CheckMirrorTarget(epsilon, delta, delay);
//   if (!valid) return valid.error();
//   return MirrorPromise(epsilon, delta, certified);
//
// Threads: pure functions.

// Fails with kInvalidArgument unless epsilon is in [0.05, 10], delta in
// [1e-12, 0.1] and delay in [1, 2^40].
Status CheckMirrorTarget(double epsilon, double delta, std::uint64_t delay);

// The challenge-DP promise (epsilon, certified). Fails with kNotConverged if
// `certified` exceeds `delta`.
Result<Guarantee> MirrorPromise(double epsilon, double delta, double certified);

// A digest (FNV-1a) of the integers that a mirror draws with. A state may
// continue only under the distribution it began with, and tables that come out
// of a search in floating point may differ between builds. Protects against
// accidents, not forgery.
class MirrorDigest {
 public:
  void Add(std::uint64_t word);
  void Add(const MirrorDistribution& distribution);

  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325;
};

// Head of a saved state.
struct MirrorHead {
  std::string_view tag;  // the class; a literal
  double epsilon = 0;
  double delta = 0;
  std::uint64_t delay = 1;
  std::uint64_t digest = 0;
};
void SaveMirrorHead(const MirrorHead& head, ByteWriter& writer);
// Fails with kCorruption if the bytes end too soon, with kFailedPrecondition if
// they are the head of another class, other parameters or other tables.
Status CheckMirrorHead(const MirrorHead& head, ByteReader& reader);

}  // namespace sotto
