#pragma once

namespace sotto {

// Requirements of the paper's learners for a class of Littlestone dimension d,
// with our corrections (docs/papers.md, 23 to 28) and its hidden constants set
// to 1. Plans show them for comparison.
//
// Threads: pure functions.

// Rows that the empirical risk minimiser of Theorem 3 needs for an error of
// `error`, with its number of teachers and the rows of each. Sparse Sample has
// epsilon / 3 (2/3 for replacement), the threshold test epsilon / 3.
struct PaperErm {
  double rows = 0;
  double teachers = 0;
  double chunk = 0;
};
PaperErm PaperErmFor(int dimension, double error, double failure,
                     double epsilon, double delta);

// Mistakes of Algorithm 3, DP-OL: d^3 calls of its training, each after U =
// d^3 ln(d ln T) k mistakes, with k = d^(7/2) ln(T) ln(1/delta) / epsilon
// teachers.
struct PaperOnline {
  double mistakes = 0;
  double teachers = 0;
  double calls = 0;
};
PaperOnline PaperOnlineFor(int dimension, double rounds, double epsilon,
                           double delta);

}  // namespace sotto
