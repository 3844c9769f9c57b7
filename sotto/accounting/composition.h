#pragma once

#include <cstdint>
#include <span>

#include "sotto/accounting/guarantee.h"
#include "sotto/accounting/renyi.h"
#include "sotto/base/result.h"

namespace sotto {

// The joint guarantee of several private mechanisms. Every operation holds for
// mechanisms chosen adaptively, one after the other. It also holds for
// interactive mechanisms that run concurrently, with rounds interleaved by the
// adversary.
//
//   const std::array parts = {PureDp{0.5}, PureDp{0.25}};
//   const PureDp both = Compose(parts);                      // 0.75
//   const RenyiCurve curve = ToRenyi(both);
//
// All parts must use the same neighbour relation and the same protected record.
// Parameters are fixed before any data is seen; use privacy_filter.h if they
// are chosen adaptively. Negative or NaN inputs give +infinity (delta: 1),
// never a plausible number.
//
// Guarantee: the result is never smaller than the exact sum or maximum.
// Proof:     composition.md, next to this file.
// Threads:   pure functions.

// Basic composition: epsilons, deltas (at most 1), rhos, log-moments add.
PureDp Compose(std::span<const PureDp> parts);
ApproximateDp Compose(std::span<const ApproximateDp> parts);
Zcdp Compose(std::span<const Zcdp> parts);
RenyiCurve Compose(std::span<const RenyiCurve> parts);

// One of the parts touches the record, and which one does not depend on its
// value: the maximum. This covers
//   - one part, chosen by a coin that does not see the data (a mixture);
//   - all parts on disjoint data where each record's part is fixed before its
//     value is known (a slot, a public id), for either relation;
//   - all parts on data split by value, for add-remove only.
ApproximateDp MaxLoss(std::span<const ApproximateDp> parts);
RenyiCurve MaxLoss(std::span<const RenyiCurve> parts);

// All parts on data split by the records' values. `parts` hold for add-remove;
// the result holds for replace: a record whose value changes may leave one part
// and enter another, so two parts see a difference.
ApproximateDp DisjointByValueUnderReplace(std::span<const ApproximateDp> parts);

// `count`-fold composition of (epsilon, delta) mechanisms by Theorem 3.3 of the
// POP paper: sqrt(2 m ln(1/delta')) epsilon + m epsilon (e^epsilon - 1), and
// m delta + delta'. For comparison: the privacy-loss distribution of pure
// mechanisms is exact and smaller. Fails with kInvalidArgument on parameters
// outside 0 <= epsilon < infinity, 0 <= delta < 1, 0 < slack < 1, and with
// kNotConverged where the result overflows.
Result<ApproximateDp> AdvancedComposition(const ApproximateDp& each,
                                          std::uint64_t count, double slack);

// A curve that holds outside an event of probability `failure`.
struct ApproximateRenyi {
  RenyiCurve curve;
  double failure = 0;
};

// Renyi curves of the other notions. An (epsilon, delta) guarantee with
// delta > 0 has none (its log-moments may all be infinite), but it has one
// outside a failure of probability delta.
RenyiCurve ToRenyi(const PureDp& guarantee);
RenyiCurve ToRenyi(const Zcdp& guarantee);
ApproximateRenyi ToRenyi(const ApproximateDp& guarantee);
Zcdp ToZcdp(const PureDp& guarantee);  // epsilon^2 / 2

ApproximateRenyi Compose(std::span<const ApproximateRenyi> parts);
double DeltaFromRenyi(const ApproximateRenyi& loss, double epsilon);
// Fails like EpsilonFromRenyi, and where delta does not exceed the failure.
Result<double> EpsilonFromRenyi(const ApproximateRenyi& loss, double delta);

}  // namespace sotto
