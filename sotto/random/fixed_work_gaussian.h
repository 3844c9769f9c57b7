#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sotto/base/rational.h"
#include "sotto/base/result.h"
#include "sotto/random/rng.h"
#include "sotto/random/threshold_table.h"

namespace sotto {

// Discrete Gaussian noise of any size, Pr[Z = z] proportional to
// e^(-z^2 / (2 variance)), whose work and memory accesses do not depend on the
// value drawn.
//
//   auto variance = Rational::Create(100'000'000, 1);
//   auto noise = FixedWorkGaussian::Create(*variance);
//   std::int64_t z = noise->Sample(rng);
//
// A draw is a sum of small discrete Gaussians on coarser and coarser grids,
// each from a table: about log4(sigma) tables.
//
// Guarantee: total-variation distance from the exact distribution at most
//            2^-TotalVariationLog2() per draw; and from a normal variable
//            rounded to the nearest integer as RoundedNormalDistance says.
// Proof:     fixed_work_gaussian.md.
// Threads:   immutable; const calls may run at the same time.
class FixedWorkGaussian {
 public:
  // Z is the sum of step * X over the levels; X is a discrete Gaussian with the
  // variance of the level, given by the distribution of |X|, zero counted half.
  struct Level {
    ThresholdTable magnitude;
    std::int64_t step;
    std::size_t first_key;  // Into the keys of all levels.
    std::size_t key_count;  // A multiple of kKeyLanes.
  };

  // Fails with kInvalidArgument unless variance is in [1/16, 2^61].
  static Result<FixedWorkGaussian> Create(const Rational& variance);

  std::int64_t Sample(Rng& rng) const;
  // Independent draws, faster than single calls of Sample. Uses the words in
  // another order.
  void Fill(Rng& rng, std::span<std::int64_t> values) const;

  static constexpr int TotalVariationLog2() { return 80; }

  // An upper bound on the total-variation distance between the exact discrete
  // Gaussian of this variance and a normal variable of variance `variance -
  // 1/12` rounded to the nearest integer. This is how a Gaussian mechanism on
  // integers inherits the guarantee of the continuous one. Rounded up.
  // Requires: variance >= 1.
  static double RoundedNormalDistance(const Rational& variance);

  // The implemented distribution, for tests.
  std::span<const Level> levels() const { return levels_; }

 private:
  static constexpr std::size_t kKeyLanes = 8;

  FixedWorkGaussian() = default;
  void AddLevel(ThresholdTable magnitude, std::int64_t step);

  std::vector<Level> levels_;  // The finest first.
  // Upper halves of all thresholds in the order of signed integers, every level
  // padded by keys that no word exceeds.
  std::vector<std::int64_t> keys_;
};

}  // namespace sotto
