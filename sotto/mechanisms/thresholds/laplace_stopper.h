#pragma once

#include <cstdint>
#include <utility>

#include "sotto/accounting/guarantee.h"
#include "sotto/base/bytes.h"
#include "sotto/base/result.h"
#include "sotto/random/fixed_work_laplace.h"
#include "sotto/random/rng.h"

namespace sotto {

// The stopping rule as it was published: two-sided noise of scale
// 8 ln(2/delta) / epsilon at every check, none on the threshold. For
// comparison; Stopper needs about a hundredth of its slack and no delta.
//
//   auto stopper = LaplaceStopper::Create(
//       {.epsilon = 0.1, .delta = 1e-7, .limit = 5000});
//   if (stopper->Advance(bit, rng)) Restart();
//
// Paper:     [PERP] Algorithm 2, Theorem 4.2.
// Guarantee: (epsilon, delta)-DP for one round whose `added` differs by one;
//            checked at Create by the exact worst case.
// Proof:     laplace_stopper.md, next to this file.
// Threads:   not thread-safe.
class LaplaceStopper {
 public:
  struct Params {
    double epsilon = 0;
    double delta = 0;
    std::int64_t limit = 0;  // t
    // Manual override of the noise's rate, 1 / scale: the published one if 0.
    double rate = 0;
  };

  // Fails with kInvalidArgument unless epsilon is in (0, 16], delta between
  // the samplers' slack and 1, |limit| at most 2^59; with kBudgetExhausted if a
  // rate set explicitly costs more.
  static Result<LaplaceStopper> Create(const Params& params);

  // Adds to the count, then checks. Returns true from the halt on.
  bool Advance(std::uint32_t added, Rng& rng);

  bool halted() const { return halted_; }
  double rate() const { return rate_; }
  const Guarantee& guarantee() const { return guarantee_; }

  // The least s such that with probability 1 - failure none of `checks` checks
  // halts while the count is at most limit - s.
  std::int64_t EarlySlack(std::uint64_t checks, double failure) const;

  void Save(ByteWriter& writer) const;
  static Result<LaplaceStopper> Load(const Params& params, ByteReader& reader);

 private:
  LaplaceStopper(const Params& params, double rate, Guarantee guarantee,
                 FixedWorkLaplace noise)
      : params_(params),
        rate_(rate),
        guarantee_(std::move(guarantee)),
        noise_(std::move(noise)) {}

  Params params_;
  double rate_;
  Guarantee guarantee_;
  FixedWorkLaplace noise_;
  std::int64_t count_ = 0;
  std::uint64_t ticks_ = 0;
  bool halted_ = false;
};

}  // namespace sotto
