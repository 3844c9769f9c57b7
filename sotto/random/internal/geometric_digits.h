#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sotto/base/rational.h"
#include "sotto/base/result.h"
#include "sotto/random/rng.h"
#include "sotto/random/threshold_table.h"

namespace sotto::internal {

// The low bits of a geometric variable G, Pr[G = g] = (1 - t) t^g with
// t = e^-rate, drawn a few bits at a time: digits of G are independent, and
// each is a truncated geometric variable. Optionally one more bit above them,
// set with probability t / (1 + t) and independent of G: the sign of a discrete
// Laplace variable, drawn with the top digit from the same word.
//
// Proof:   ../fixed_work_geometric.md.
// Threads: immutable; const calls may run at the same time.
class GeometricDigits {
 public:
  enum class Sign { kNone, kAboveTheTop };

  struct Digit {
    ThresholdTable table;
    unsigned shift;  // The place of the digit's lowest bit.
  };

  // 2^-n bounds the total-variation distance of one draw from the exact
  // distribution.
  static constexpr int kTotalVariationLog2 = 100;

  // Fails with kInvalidArgument unless rate is in [2^-48, 64].
  static Result<GeometricDigits> Create(const Rational& rate, Sign sign);

  std::int64_t Draw(Rng& rng) const;
  void Fill(Rng& rng, std::span<std::int64_t> values) const;

  // Bits of G that are drawn; the sign, if any, is the next one.
  unsigned bits() const { return bits_; }
  std::span<const Digit> digits() const { return digits_; }

 private:
  GeometricDigits(const Rational& rate, Sign sign, unsigned bits);

  unsigned bits_;
  std::vector<Digit> digits_;  // Least significant first.
};

}  // namespace sotto::internal
