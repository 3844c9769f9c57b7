#pragma once

#include <cstdint>

#include "sotto/accounting/guarantee.h"
#include "sotto/accounting/spend.h"
#include "sotto/base/bytes.h"
#include "sotto/base/result.h"
#include "sotto/mechanisms/mirrors/staircase_mirror.h"
#include "sotto/models/points/lopsided_step.h"

namespace sotto {

// How a point predictor shares out what a round may cost: to the gate of a
// point, and to its mirror, with a budget for each direction.
struct PointDesign {
  ApproximateDp gate = {};
  LopsidedStep::Budgets mirror = {};
  // A StaircaseMirror (both deltas alike) instead of a LopsidedStep.
  bool stairs = false;

  // Privacy cost of a round that is replaced, or (add-remove) empty in one of
  // the neighbouring streams, rounded up: point_predictor.md, step 6.
  ApproximateDp Cost(Relation relation) const { return Total(Parts(relation)); }
  // The same by parts: gates and mirrors.
  Spend Parts(Relation relation) const;

  void Save(ByteWriter& writer) const;
  // The caller checks reader.failed().
  static PointDesign Load(ByteReader& reader);
  friend bool operator==(const PointDesign&, const PointDesign&) = default;
};

// The stairs of such budgets. Fails as StaircaseMirror::Create does.
Result<StaircaseMirror> MakeStairs(const LopsidedStep::Budgets& budgets);

// RoundTarget returns the budget of one round such that a user of `rounds`
// rounds is guaranteed `user`. UserPromise is the reverse. Both are rounded up
// (point_predictor.md, step 7). RoundTarget fails with kInvalidArgument where
// there is no delta, with kNotConverged where nothing is left.
Result<ApproximateDp> RoundTarget(const ApproximateDp& user, Relation relation,
                                  std::uint64_t rounds);
Spend UserPromise(Spend round, Relation relation, std::uint64_t rounds);

// The shares with the fewest expected mistakes for what one round may cost.
// Fails with kInvalidArgument where epsilon or delta are too small.
//
// Proof:   point_predictor.md, steps 6 and 7.
// Threads: pure functions.
Result<PointDesign> ChoosePointDesign(const ApproximateDp& round,
                                      Relation relation);

}  // namespace sotto
