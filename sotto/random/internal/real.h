#pragma once

#include <mpfr.h>

#include <cstdint>

#include "sotto/base/int128.h"
#include "sotto/base/rational.h"

namespace sotto::internal {

// A real number to 320 bits, for building tables: MPFR, which is integer
// arithmetic. Every operation has a relative error of at most 2^-319; a table
// entry takes fewer than 2^12 of them, on magnitudes of at most 2^12, so it is
// within 2^-290 of its exact value.
//
//   Real share = Real(1) / (Real(1) + ExpOfMinus(rate));  // 1 / (1 + e^-rate)
//   Uint128 threshold = share.Floor128();
//
// Threads: a value type.
class Real {
 public:
  static constexpr mpfr_prec_t kPrecision = 320;

  explicit Real(std::uint64_t value) : Real() {
    static_assert(sizeof(unsigned long) == sizeof(std::uint64_t));
    mpfr_set_ui(value_, value, MPFR_RNDN);
  }
  explicit Real(const Rational& value) : Real(value.numerator()) {
    mpfr_div(value_, value_, Real(value.denominator()).value_, MPFR_RNDN);
  }
  Real(const Real& other) : Real() {
    mpfr_set(value_, other.value_, MPFR_RNDN);
  }
  Real& operator=(const Real& other) {
    if (this != &other) mpfr_set(value_, other.value_, MPFR_RNDN);
    return *this;
  }
  ~Real() { mpfr_clear(value_); }

  friend Real operator+(const Real& a, const Real& b) {
    Real result;
    mpfr_add(result.value_, a.value_, b.value_, MPFR_RNDN);
    return result;
  }
  friend Real operator-(const Real& a, const Real& b) {
    Real result;
    mpfr_sub(result.value_, a.value_, b.value_, MPFR_RNDN);
    return result;
  }
  friend Real operator*(const Real& a, const Real& b) {
    Real result;
    mpfr_mul(result.value_, a.value_, b.value_, MPFR_RNDN);
    return result;
  }
  friend Real operator/(const Real& a, const Real& b) {
    Real result;
    mpfr_div(result.value_, a.value_, b.value_, MPFR_RNDN);
    return result;
  }

  // e^-x and 1 - e^-x.
  friend Real ExpOfMinus(const Real& x);
  friend Real OneMinusExpOfMinus(const Real& x);

  // floor(2^128 * value), at most 2^128 - 1. Requires: 0 <= value <= 1. Within
  // 2^-127 of the exact value.
  Uint128 Floor128() const;

 private:
  Real() { mpfr_init2(value_, kPrecision); }

  mpfr_t value_;
};

Real ExpOfMinus(const Real& x);
Real OneMinusExpOfMinus(const Real& x);

}  // namespace sotto::internal
