#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "sotto/base/bytes.h"
#include "sotto/base/result.h"
#include "sotto/mechanisms/boundaries/boundary_cost.h"
#include "sotto/mechanisms/thresholds/threshold_rules.h"
#include "sotto/models/papers/outermost_points.h"
#include "sotto/random/fixed_work_laplace.h"
#include "sotto/random/rng.h"

namespace sotto {

// Noise of the copies of one phase: of the tests and of the Stoppers.
struct SlicedSamplers {
  SideNoise noise;
  FixedWorkLaplace tests;
  FixedWorkLaplace stopper;

  // Fails with kInvalidArgument on rates that are not exact.
  static Result<SlicedSamplers> Create(const SideNoise& noise);
};

// Left_j or Right_j: a copy of ChallengeBT over the points of a slice, and the
// queries that it could not decide. Stopping queries and tests come apart; the
// Flag of ChallengeBT is not needed, as a round has one stopping query and then
// at most one test.
//
//   side.Begin(std::move(slice));
//   if (side.Ask(samplers, rng)) side.Recycle();        // in every round
//   if (side.Test(x, samplers, rng) == Zone::kLow) Inside();
//
// Part of SlicedPredictor, which says what that is worth.
// Paper:   [PERP] Algorithms 2 to 4.
// Threads: not thread-safe.
class SlicedSide {
 public:
  using Zone = TwoThresholds::Zone;

  explicit SlicedSide(SliceOrder by) : by_(by) {}

  // A copy on these points; nothing is undecided.
  void Begin(const std::vector<SlicedPoint>& slice);
  // Stopping query. If it returns true, the copy has halted.
  bool Ask(const SlicedSamplers& samplers, Rng& rng) const {
    const std::int64_t count = rng.Private("stopper count", mediums_, 1);
    return count + samplers.stopper.Sample(rng) >= samplers.noise.limit;
  }
  // Runs a copy on the undecided, which are emptied.
  void Recycle();
  // How many points lie further inside than x. Medium: x is kept.
  Zone Test(const SlicedPoint& x, const SlicedSamplers& samplers, Rng& rng);

  const SliceOrder& by() const { return by_; }

  void Save(ByteWriter& writer) const;
  // Returns false on bytes that no Save wrote.
  bool Load(ByteReader& reader);

 private:
  SliceOrder by_;
  std::vector<double> data_;       // sorted
  std::vector<double> undecided_;  // D_j^left or D_j^right
  std::int64_t mediums_ = 0;
};

}  // namespace sotto
