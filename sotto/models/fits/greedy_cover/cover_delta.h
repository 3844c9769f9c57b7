#pragma once

#include "sotto/accounting/guarantee.h"

namespace sotto {

// Effect of one row on the rules that cover it, in nats: a rule that is wrong
// on it loses `penalty` from the logarithm of its weight, a rule that is right
// gains `reward`. Rules that do not cover the row never notice it.
struct CoverWeights {
  double penalty = 0;  // a
  double reward = 0;   // b
};

// The exact supremum of delta(epsilon) of the cover process, over all data, all
// sets of rules and any number of rounds, rounded up.
//
//   CoverDelta({.penalty = 0.0893}, Relation::kReplace, 1.0)   // 1e-6
//
// Rules are drawn with probability proportional to e^weight, and rows leave
// when a rule that covers them is drawn. 1 where an argument is out of range:
// nothing is promised then.
//
// Paper:     [Winnow] Lemma 18, whose constant this replaces.
// Guarantee: an upper bound that the worst data reach in the limit.
// Proof:     cover_delta.md.
// Threads:   a pure function.
double CoverDelta(const CoverWeights& weights, Relation relation,
                  double epsilon);

// One direction of it: the world under which delta is the probability has, or
// has not, the row. x = epsilon minus the loss so far; any real number.
double CoverDeltaWithRow(const CoverWeights& weights, double x);
double CoverDeltaWithoutRow(const CoverWeights& weights, double x);

}  // namespace sotto
