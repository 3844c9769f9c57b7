#pragma once

#include <cstdint>
#include <utility>

#include "sotto/accounting/guarantee.h"
#include "sotto/base/result.h"
#include "sotto/mechanisms/mirrors/mirror_distribution.h"
#include "sotto/random/rng.h"

namespace sotto {

// One private yes or no about a count: no at 0 and yes at size(), both surely,
// with the smallest size that epsilon and delta allow.
//
//   auto gate = CountGate::Create({.epsilon = 0.5, .delta = 1e-6});
//   if (!gate) return gate.error();
//   bool open = gate->Passes(count, rng);
//
// Paper:     takes the place of the noisy count of false labels in [Counters]
//            Algorithm 3; the distribution is the optimal selection of a
//            partition [DesfontainesVG22].
// Guarantee: (epsilon, delta)-DP for counts that differ by one, for one call.
// Proof:     count_gate.md.
// Threads:   immutable; const calls may run at the same time.
class CountGate {
 public:
  struct Params {
    double epsilon = 0;
    double delta = 0;
  };

  // Fails with kInvalidArgument unless epsilon is in [2^-10, 10] and delta in
  // [1e-12, 0.1], and where the size would exceed MirrorDistribution::kMaxSize.
  static Result<CountGate> Create(const Params& params);

  // Draws once, whatever the count.
  bool Passes(std::uint64_t count, Rng& rng) const {
    const std::int64_t seen =
        rng.Private("gate count", static_cast<std::int64_t>(count), 1);
    return static_cast<std::uint64_t>(seen) >= distribution_.Draw(rng);
  }

  // From this count on the answer is surely yes.
  std::uint64_t size() const { return distribution_.last(); }
  // Distribution of the least count that passes.
  const MirrorDistribution& distribution() const { return distribution_; }
  const Guarantee& guarantee() const { return guarantee_; }

  // How far counts that differ by one are from epsilon-indistinguishable, the
  // worse of both directions, rounded up.
  static double ComputeDelta(const MirrorDistribution& distribution,
                             double epsilon);

 private:
  CountGate(MirrorDistribution distribution, Guarantee guarantee)
      : distribution_(std::move(distribution)),
        guarantee_(std::move(guarantee)) {}

  MirrorDistribution distribution_;
  Guarantee guarantee_;
};

}  // namespace sotto
