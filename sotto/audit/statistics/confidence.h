#pragma once

#include <cstdint>

namespace sotto {

// Bounds on probabilities from counts, exact for every number of trials, and
// the resulting bounds on privacy claims.
//
//   double least = ClopperPearsonLower(hits, trials, 1e-3);
//   double epsilon = EpsilonLowerBound(hits_p, hits_q, trials, delta, 1e-3);
//
// A call whose arguments break the contract below returns NaN, which compares
// false with everything: neither a sound mechanism nor its broken variant
// passes a test that was set up wrongly.
//
// Threads: pure functions.

// Clopper-Pearson: for every success probability p of `trials` independent
// trials, Pr[lower > p] <= alpha, and Pr[upper < p] <= alpha. Requires hits <=
// trials, trials >= 1, alpha in (0, 1).
double ClopperPearsonLower(std::uint64_t hits, std::uint64_t trials,
                           double alpha);
double ClopperPearsonUpper(std::uint64_t hits, std::uint64_t trials,
                           double alpha);

// Audit of a privacy claim by one event, fixed before the runs that are
// counted: it happened hits_p times in `trials` runs on one data set and hits_q
// times in `trials` runs on its neighbour. A mechanism that is (epsilon,
// delta)-DP returns more than epsilon with probability at most alpha. Never
// negative, never infinite. Requires delta in [0, 1].
double EpsilonLowerBound(std::uint64_t hits_p, std::uint64_t hits_q,
                         std::uint64_t trials, double delta, double alpha);

// The same, solved for delta at a given epsilon >= 0.
double DeltaLowerBound(std::uint64_t hits_p, std::uint64_t hits_q,
                       std::uint64_t trials, double epsilon, double alpha);

}  // namespace sotto
