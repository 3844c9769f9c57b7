#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "sotto/base/bytes.h"
#include "sotto/base/result.h"
#include "sotto/mechanisms/boundaries/boundary_phases.h"
#include "sotto/mechanisms/boundaries/boundary_set.h"
#include "sotto/mechanisms/thresholds/between_thresholds.h"
#include "sotto/mechanisms/thresholds/stopper.h"
#include "sotto/random/fixed_work_laplace.h"
#include "sotto/random/rng.h"

namespace sotto {

// The samplers of one phase, for all its sides.
struct BoundarySamplers {
  FixedWorkLaplace initial;
  FixedWorkLaplace recycled;
  Stopper first;  // of the initial copies, not begun
  Stopper again;  // of the recycled ones

  // Fails as Validate of the copies does.
  static Result<BoundarySamplers> Create(const BoundaryPhase& phase);
};

// One side of a region: tells whether a number lies outside, where outside is
// below, by how many of a boundary set lie above it; and collects the numbers
// it could not decide, to start over on them.
//
//   side.Begin(std::move(set), samplers, rng);        // a phase
//   side.Check(phase, samplers, rng);                 // at public times
//   if (side.Test(v, phase, samplers, rng) == Zone::kLow) Inside();
//
// Part of BoundaryPredictor, which says what that is worth.
// Threads: not thread-safe.
class BoundarySide {
 public:
  using Zone = BetweenThresholds::Zone;

  // A phase begins on a set that is settled.
  void Begin(BoundarySet set, const BoundaryPhase& phase,
             const BoundarySamplers& samplers, Rng& rng);
  // The Stopper's check. If it halts, the side starts over.
  void Check(const BoundaryPhase& phase, const BoundarySamplers& samplers,
             Rng& rng) {
    const bool halts = stopper_->Advance(std::exchange(pending_, 0), rng);
    if (halts) StartOver(phase, samplers, rng);
  }
  // Low: inside. Medium: outside, and the number is kept.
  Zone Test(double value, const BoundaryPhase& phase,
            const BoundarySamplers& samplers, Rng& rng);

  // Secret, as all of it.
  std::uint64_t restarts() const { return restarts_; }
  const BoundarySet& set() const { return set_; }

  void Save(ByteWriter& writer) const;
  // Fails with kCorruption.
  Status Load(const BoundaryPhase& phase, const BoundarySamplers& samplers,
              ByteReader& reader);

 private:
  void StartOver(const BoundaryPhase& phase, const BoundarySamplers& samplers,
                 Rng& rng);

  BoundarySet set_;
  BoundarySet undecided_;
  std::optional<Stopper> stopper_;
  bool recycled_ = false;
  std::uint32_t pending_ = 0;  // mediums since the last check
  std::uint64_t restarts_ = 0;
};

}  // namespace sotto
