#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "sotto/accounting/guarantee.h"
#include "sotto/base/bytes.h"
#include "sotto/base/feature_view.h"
#include "sotto/base/result.h"
#include "sotto/mechanisms/boundaries/boundary_phases.h"
#include "sotto/mechanisms/boundaries/boundary_set.h"
#include "sotto/mechanisms/boundaries/boundary_side.h"
#include "sotto/random/rng.h"

namespace sotto {

// One side of the region. Outside is where the coordinate is small or, if
// mirrored, where it is large.
struct BoundaryAxis {
  std::uint32_t feature = 0;
  bool mirrored = false;

  double At(FeatureView x) const {
    const double value = ValueAt(x, feature);
    return mirrored ? -value : value;
  }
  friend bool operator==(const BoundaryAxis&, const BoundaryAxis&) = default;
};

// Answers an endless stream of queries: inside on every side, or outside. It
// starts from a training set and continues from the queries it answered.
//
//   auto predictor = BoundaryPredictor::Create(axes, phases, sets, rng);
//   if (!predictor) return predictor.error();
//   const bool inside = predictor->Answer(x, rng);   // to this user only
//   predictor->PlayEmptyRound(rng);                  // no user came
//
// Paper:     [PERP] Algorithm 5, with overlapping boundary sets.
// Guarantee: everlasting, (epsilon, delta(i)) for the query of round i and for
//            a training record (i = 0), against all other users together.
// Proof:     boundaries.md, next to this file.
// Threads:   not thread-safe.
class BoundaryPredictor {
 public:
  // `sets`: one for each axis, settled, of the size that the first phase says,
  // of the training set, in which one record moves no count by more than one.
  // Fails with kInvalidArgument if they do not fit, and as CheckBoundaryPhases
  // does: never depending on data.
  static Result<BoundaryPredictor> Create(std::vector<BoundaryAxis> axes,
                                          BoundaryPhases phases,
                                          std::vector<BoundarySet> sets,
                                          Rng& rng);
  // Two copies would answer twice from the same sets.
  BoundaryPredictor(BoundaryPredictor&&) = default;
  BoundaryPredictor& operator=(BoundaryPredictor&&) = default;
  BoundaryPredictor(const BoundaryPredictor&) = delete;
  BoundaryPredictor& operator=(const BoundaryPredictor&) = delete;

  struct Answered {
    bool inside = false;
    bool undecided = false;  // on some side: for the user's own eyes
  };
  // One round. Requires !halted().
  Answered Answer(FeatureView x, Rng& rng);
  // The round of a user who did not come. Requires !halted().
  void PlayEmptyRound(Rng& rng) { Advance(rng); }

  // Public: by the clock alone.
  std::uint64_t phase() const { return phase_; }
  bool halted() const {
    return phase_ + 1 == phases_.phases.size() &&
           ticks_ == phases_.phases.back().length;
  }
  const BoundaryPhases& phases() const { return phases_; }
  // Secret: how often sides have started over.
  std::uint64_t restarts() const;

  // The state holds numbers of users. Bit-equal from there on.
  void Save(ByteWriter& writer) const;
  // Fails as Create does, and with kCorruption.
  static Result<BoundaryPredictor> Load(std::vector<BoundaryAxis> axes,
                                        BoundaryPhases phases,
                                        ByteReader& reader);

 private:
  BoundaryPredictor(std::vector<BoundaryAxis> axes, BoundaryPhases phases,
                    BoundarySamplers samplers);
  static Result<BoundaryPredictor> Prepare(std::vector<BoundaryAxis> axes,
                                           BoundaryPhases phases);

  const BoundaryPhase& now() const { return phases_.phases[phase_]; }
  void Advance(Rng& rng);
  void NextPhase(Rng& rng);
  void EmptyNextSets();

  std::vector<BoundaryAxis> axes_;
  BoundaryPhases phases_;
  BoundarySamplers samplers_;  // of the phase
  std::uint64_t phase_ = 0;
  std::uint64_t ticks_ = 0;  // of the phase
  std::vector<BoundarySide> sides_;
  std::vector<BoundarySet> next_;  // of what was inside, for the next phase
};

}  // namespace sotto
