#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "sotto/accounting/privacy_loss.h"
#include "sotto/base/result.h"

namespace sotto {

// Epsilon and delta of a composition of mechanisms given by their privacy
// losses, tight and never optimistic: the lattice is refined until the answer
// is stable, and every answer is an upper bound for every lattice.
//
//   auto laplace = PrivacyLoss::Laplace(20);
//   std::vector<LossTerm> terms = {{*laplace, 100}};
//   auto epsilon = TightEpsilon(terms, 1e-6);     // 2.1934
//
// If a pair is not symmetric, the first distribution of every pair must belong
// to the same neighbour; the answer is the larger of the two directions.
//
// Guarantee: adaptive (also concurrent) composition of the terms is
//            (epsilon, delta)-DP.
// Proof:     composed_loss.md, next to this file.
// Threads:   pure functions.
struct LossTerm {
  PrivacyLoss loss;
  std::uint64_t count;
};

struct TightOptions {
  // Relative, of epsilon; delta gets ten times as much.
  double tolerance = 5e-5;
  std::size_t max_size = std::size_t{1} << 21;  // of a Fourier transform
};

// Fail with kInvalidArgument on an empty list, a count of zero, an epsilon that
// is negative or not finite, a delta outside (0, 1); with kNotConverged where
// no bound could be certified to one per cent of delta, or none exists. A
// delta below 1e-250 may be refused for that; it is zero only if exactly zero.
Result<double> TightDelta(std::span<const LossTerm> terms, double epsilon,
                          const TightOptions& options = {});
Result<double> TightEpsilon(std::span<const LossTerm> terms, double delta,
                            const TightOptions& options = {});

}  // namespace sotto
