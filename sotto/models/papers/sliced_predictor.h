#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "sotto/accounting/guarantee.h"
#include "sotto/base/bytes.h"
#include "sotto/base/feature_view.h"
#include "sotto/base/result.h"
#include "sotto/mechanisms/boundaries/boundary_phases.h"
#include "sotto/mechanisms/boundaries/boundary_predictor.h"
#include "sotto/mechanisms/boundaries/boundary_promise.h"
#include "sotto/models/papers/outermost_points.h"
#include "sotto/models/papers/sliced_side.h"
#include "sotto/random/rng.h"

namespace sotto {

// RectanglesPERP as printed: a copy of ChallengeBT for each side of a box, over
// slices that Reorder-Slice-Compute cuts from the positive points, asked to
// stop in every round, run again on what it could not decide, and replaced at
// the end of each phase.
//
//   auto points = SlicedPredictor::MakePoints(phases, 0);
//   for (x : positives) points.Add({x[0], x[1]});
//   auto box = SlicedPredictor::Create({0, 1}, phases, std::move(points), rng);
//   if (!box) return box.error();
//   const bool inside = box->Answer(x, rng).inside;   // to this user only
//   box->PlayEmptyRound(rng);                         // no user came
//
// With an empty slice every count is 0, so that everything is inside of that
// side: the paper presumes that there are positive points.
//
// Paper:     [PERP] Algorithm 5 (Theorem 4.6), with Algorithms 1 to 4.
// Guarantee: everlasting, (epsilon, delta(i)) for the query of round i and for
//            a training record (i = 0), against all other users together.
// Proof:     sliced_predictor.md, next to this file.
// Threads:   not thread-safe.
class SlicedPredictor {
 public:
  using Answered = BoundaryPredictor::Answered;

  // An empty set for positive points, for the slices of a phase.
  static OutermostPoints MakePoints(const BoundaryPhases& phases,
                                    std::size_t phase);
  // Fails as CheckSlicedPhases does, and with kInvalidArgument if no predictor
  // can be made of these phases.
  static Status Check(const BoundaryPhases& phases);

  // `features`: the coordinates it looks at, sides / 2 of them. `points`: of
  // MakePoints(phases, 0). Fails as Check does, never depending on data.
  static Result<SlicedPredictor> Create(std::vector<std::uint32_t> features,
                                        BoundaryPhases phases,
                                        OutermostPoints points, Rng& rng);
  // Two copies would answer twice from the same slices.
  SlicedPredictor(SlicedPredictor&&) = default;
  SlicedPredictor& operator=(SlicedPredictor&&) = default;
  SlicedPredictor(const SlicedPredictor&) = delete;
  SlicedPredictor& operator=(const SlicedPredictor&) = delete;

  // One round. Requires !halted().
  Answered Answer(FeatureView x, Rng& rng);
  // The round of a user who did not come. Requires !halted().
  void PlayEmptyRound(Rng& rng);

  // Public: by the clock alone.
  std::uint64_t phase() const { return phase_; }
  bool halted() const {
    return phase_ + 1 == phases_.phases.size() &&
           ticks_ == phases_.phases.back().length;
  }
  const BoundaryPhases& phases() const { return phases_; }
  std::uint64_t restarts() const { return restarts_; }  // secret

  // The state holds numbers of users. Bit-equal from there on.
  void Save(ByteWriter& writer) const;
  // Fails as Create does, and with kCorruption.
  static Result<SlicedPredictor> Load(std::vector<std::uint32_t> features,
                                      BoundaryPhases phases,
                                      ByteReader& reader);

 private:
  SlicedPredictor(std::vector<std::uint32_t> features, BoundaryPhases phases,
                  SlicedSamplers samplers);
  static Result<SlicedPredictor> Prepare(std::vector<std::uint32_t> features,
                                         BoundaryPhases phases);

  const BoundaryPhase& now() const { return phases_.phases[phase_]; }
  SlicedPoint MakePoint(FeatureView x) const;
  void AskToStop(Rng& rng);
  void EndRound(Rng& rng);
  void NextPhase(Rng& rng);
  Status CutSlices(OutermostPoints points, Rng& rng);

  std::vector<std::uint32_t> features_;
  BoundaryPhases phases_;
  SlicedSamplers samplers_;  // of the phase
  std::uint64_t phase_ = 0;
  std::uint64_t ticks_ = 0;        // of the phase
  std::vector<SlicedSide> sides_;  // Left_1, Right_1, Left_2, ...
  OutermostPoints positives_;      // D, its points with the label 1
  std::uint64_t restarts_ = 0;
};

// The everlasting promise: the parts are computed from the numbers of
// `phases`. `before`: parts that a training row pays for beside its slices.
Result<Guarantee> SlicedPromise(const BoundaryPhases& phases,
                                const BoundaryUser& user,
                                std::vector<Spend> before = {});

}  // namespace sotto
