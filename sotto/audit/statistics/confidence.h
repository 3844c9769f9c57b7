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

// The same audit by guesses: in each of `guesses` independent runs, half of
// them in either world, the event names a world; `correct` of them are right.
// It is sharper than the two counts where the event is about as likely in its
// world as it is unlikely in the other, and needs runs that are independent
// across the worlds. Requires delta in [0, 1], alpha < 1/4. Proof: guesses.md.
double EpsilonByGuesses(std::uint64_t correct, std::uint64_t guesses,
                        double delta, double alpha);

// The largest chance of a correct guess that (epsilon, delta) allows.
double GuessRate(double epsilon, double delta);

// Approximates EpsilonLowerBound by Wilson's interval of z standard deviations,
// and EpsilonByGuesses likewise. Fast and not exact: to choose events by.
double RoughEpsilon(double hits_p, double hits_q, double trials, double delta,
                    double z);
double RoughEpsilonByGuesses(double correct, double guesses, double delta,
                             double z);

// The same as EpsilonLowerBound, solved for delta at a given epsilon >= 0.
double DeltaLowerBound(std::uint64_t hits_p, std::uint64_t hits_q,
                       std::uint64_t trials, double epsilon, double alpha);

}  // namespace sotto
