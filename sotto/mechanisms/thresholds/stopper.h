#pragma once

#include <cstdint>
#include <span>
#include <utility>

#include "sotto/accounting/guarantee.h"
#include "sotto/base/bytes.h"
#include "sotto/base/result.h"
#include "sotto/mechanisms/thresholds/sparse_vector_limits.h"
#include "sotto/random/fixed_work_geometric.h"
#include "sotto/random/rng.h"

namespace sotto {

// Halts once, about when a count reaches `limit`, and hides whether any single
// event was counted.
//
//   auto stopper = Stopper::Create({.epsilon = 0.1, .limit = 500});
//   if (!stopper) return stopper.error();
//   if (stopper->Advance(medium ? 1 : 0, rng)) Restart();
//
// One secret threshold limit + rho and fresh nu >= 0 at every check: halts if
// count + nu >= limit + rho. Advance must be called in every public round, also
// when nothing can be added: a check only after counted events reveals them.
//
// Guarantee: epsilon-DP (and the samplers' slack) for one round whose `added`
//            differs by one, adaptive inputs; the ratio epsilon is attained.
// Proof:     stopper.md, next to this file.
// Threads:   not thread-safe.
class Stopper {
 public:
  struct Params {
    double epsilon = 0;  // e_s
    std::int64_t limit = 0;
  };

  // Fails with kInvalidArgument unless epsilon is in [2^-30, 16] and |limit| is
  // at most 2^59.
  static Result<Stopper> Create(const Params& params);

  // Adds to the count, then checks. Returns true from the halt on.
  bool Advance(std::uint32_t added, Rng& rng);
  // Advance in parts, for callers that draw ahead: Begin draws the threshold,
  // once; each check then takes one fresh nu of DrawNoise, used for nothing
  // else.
  void Begin(Rng& rng);
  void DrawNoise(Rng& rng, std::span<std::int64_t> noise) const;
  // `allowed` raises the limit for this check: it must be public, and may
  // depend on the clock and on what everybody has seen, not on what was added.
  // Requires Begin and 0 <= allowed <= 2^59.
  bool TickDrawn(std::uint32_t added, std::int64_t nu,
                 std::int64_t allowed = 0);
  // The same nu, shown to a neighbour replay in tests (Rng::Private).
  std::int64_t Watched(std::uint32_t added, std::int64_t nu, Rng& rng) const;

  bool halted() const { return halted_; }
  std::uint64_t ticks() const { return ticks_; }
  double rate() const { return rate_; }  // e_s as the sampler has it
  const Guarantee& guarantee() const { return guarantee_; }

  // The least s such that with probability 1 - failure none of `checks` checks
  // halts while the count is at most limit - s.
  std::int64_t EarlySlack(std::uint64_t checks, double failure) const;
  // The least s such that with probability 1 - failure a check at a count of
  // limit + s or more halts. No number of checks enters.
  std::int64_t LateSlack(double failure) const;

  // The state holds the secret threshold and the count.
  void Save(ByteWriter& writer) const;
  // Fails with kFailedPrecondition if the state belongs to other parameters,
  // with kCorruption if it makes no sense.
  static Result<Stopper> Load(const Params& params, ByteReader& reader);

 private:
  Stopper(const Params& params, double rate, Guarantee guarantee,
          FixedWorkGeometric noise)
      : params_(params),
        rate_(rate),
        guarantee_(std::move(guarantee)),
        noise_(std::move(noise)) {}

  Params params_;
  double rate_;
  Guarantee guarantee_;
  FixedWorkGeometric noise_;
  std::int64_t rho_ = -1;  // not drawn yet
  std::int64_t count_ = 0;
  std::uint64_t ticks_ = 0;
  bool halted_ = false;
};

// EarlySlack for a rate that is still being chosen.
std::int64_t StopperEarlySlack(double rate, std::uint64_t checks,
                               double failure);

}  // namespace sotto
