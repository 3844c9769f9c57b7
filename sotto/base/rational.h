#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sotto/base/result.h"

namespace sotto {

// A positive rational number, exact: numerator / denominator in lowest terms,
// both in [1, 2^62]. Noise parameters are rationals, so that the sampler, the
// table and the proof speak of one and the same number.
//
//   auto scale = ParseRational("19.4");      // 97/5
//   auto rate = scale->Reciprocal();         // 5/97
//
// Threads: a value type.
class Rational {
 public:
  static constexpr std::uint64_t kMax = std::uint64_t{1} << 62;

  // Fails with kInvalidArgument unless both are in [1, kMax] after reduction.
  static Result<Rational> Create(std::uint64_t numerator,
                                 std::uint64_t denominator);

  std::uint64_t numerator() const { return numerator_; }
  std::uint64_t denominator() const { return denominator_; }
  Rational Reciprocal() const { return {denominator_, numerator_}; }

  // The nearest doubles on either side: ToDoubleDown() <= value <=
  // ToDoubleUp(). Equal where the value is a double.
  double ToDoubleDown() const;
  double ToDoubleUp() const;

  std::string ToString() const;
  friend bool operator==(const Rational&, const Rational&) = default;

 private:
  Rational(std::uint64_t numerator, std::uint64_t denominator)
      : numerator_(numerator), denominator_(denominator) {}

  std::uint64_t numerator_;
  std::uint64_t denominator_;
};

// Reads "3", "19.4", "1e6", "2.5e-3" or "5/97" exactly, no rounding on the way.
// Fails with kInvalidArgument on anything else, on zero, on negative numbers
// and on what does not fit.
Result<Rational> ParseRational(std::string_view text);

// The exact value of a positive finite double as a rational, or, where that
// needs more than 62 bits, the largest representable rational with denominator
// 2^k that is at most `value`. Fails unless `value` is in [2^-61, 2^61].
Result<Rational> RationalBelow(double value);

}  // namespace sotto
