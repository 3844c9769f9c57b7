#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sotto/accounting/delta_schedule.h"
#include "sotto/accounting/guarantee.h"
#include "sotto/base/bytes.h"
#include "sotto/base/result.h"
#include "sotto/mechanisms/boundaries/boundary_cost.h"

namespace sotto {

// One phase of a predictor over boundary sets: `length` rounds, with
// these copies at its beginning, and these each time a side starts over on the
// queries it could not decide. Both have the same Stopper.
struct BoundaryPhase {
  std::uint64_t length = 0;
  SideNoise initial;
  SideNoise recycled;

  friend bool operator==(const BoundaryPhase&, const BoundaryPhase&) = default;
};

struct BoundaryTarget {
  // Budget of one round, or of one training record: the sum of delta(i) over
  // all rounds i and the training set is at most `delta`.
  double epsilon = 0;
  double delta = 0;
  // Epsilon of the training set, if a part of `epsilon` was spent before the
  // boundary set was taken. 0: all of `epsilon`.
  double training_epsilon = 0;
  // Part of its delta that was spent before.
  double training_spent = 0;
  Relation relation = Relation::kReplace;
  std::uint32_t sides = 2;
  double error = 0.05;         // of honest queries, aimed at
  double honest_fraction = 1;  // gamma: of queries, at least

  friend bool operator==(const BoundaryTarget&,
                         const BoundaryTarget&) = default;
};

// All phases, public and fixed before any data. After the last one the
// predictor halts: from there on what the samplers cost would no longer be
// small beside delta(i).
struct BoundaryPhases {
  BoundaryTarget target;
  std::vector<BoundaryPhase> phases;
  DeltaSchedule schedule;  // of one round

  // The rounds of all phases together.
  std::uint64_t rounds() const;

  // Error on honest queries in a phase (from 0) after a training set of `rows`
  // rows: the fraction in the strips that are given up. Expected; and at most,
  // whatever other users ask, while noise is as small as it nearly always is.
  double ExpectedError(std::size_t phase, double rows) const;
  double WorstError(std::size_t phase, double rows) const;
  // Rows with which ExpectedError stays below target.error.
  double RowsRequired() const;

  void Save(ByteWriter& writer) const;
  // Phases for this target that were saved. Fails with kCorruption, also where
  // `check` refuses them: CheckBoundaryPhases, unless another is named.
  using Check = Status (*)(const BoundaryPhases&);
  static Result<BoundaryPhases> Load(const BoundaryTarget& target,
                                     ByteReader& reader, Check check = nullptr);

  friend bool operator==(const BoundaryPhases&,
                         const BoundaryPhases&) = default;
};

// The phases with the least rows required. Fails with kInvalidArgument unless
// 0 < epsilon <= 16, 1e-30 <= delta < 1, 1 <= sides <= 2^12, error in
// [1e-4, 0.5], honest_fraction in [0.001, 1]; with kNotConverged where there
// are none.
// Proof: boundaries.md, step 7 (privacy of what is chosen: checked at the very
// numbers that are returned), *Use* (why these margins).
Result<BoundaryPhases> ChooseBoundaryPhases(const BoundaryTarget& target);

// Checks that phases keep the target: every delta is computed again.
Status CheckBoundaryPhases(const BoundaryPhases& phases);

// Parts of both of these.

inline constexpr std::size_t kMostBoundaryPhases = 90;
// Phases that share one length of the schedule.
inline constexpr std::size_t kBoundaryBlock = 3;
// kInvalidArgument as ChooseBoundaryPhases.
Status Validate(const BoundaryTarget& target);
// Records between the outermost point and where "inside" begins.
double BoundaryGivenUp(const SideNoise& noise);
std::vector<std::uint64_t> BoundaryLengths(
    const std::vector<BoundaryPhase>& phases);
// Delta(i) of the rounds of each phase, what the samplers cost taken off; ends
// where that is no longer small. The training set comes first.
std::vector<double> BoundaryDeltas(const BoundaryTarget& target,
                                   const DeltaSchedule& schedule,
                                   const std::vector<std::uint64_t>& lengths);
// delta(i) for phases of these lengths, the training set's share a third.
Result<DeltaSchedule> BoundarySchedule(
    double delta, const std::vector<std::uint64_t>& lengths);

}  // namespace sotto
