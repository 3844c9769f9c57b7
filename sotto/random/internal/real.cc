#include "sotto/random/internal/real.h"

#include <array>
#include <cassert>

namespace sotto::internal {

Real ExpOfMinus(const Real& x) {
  Real result;
  mpfr_neg(result.value_, x.value_, MPFR_RNDN);
  mpfr_exp(result.value_, result.value_, MPFR_RNDN);
  return result;
}

Real OneMinusExpOfMinus(const Real& x) {
  Real result;
  mpfr_neg(result.value_, x.value_, MPFR_RNDN);
  mpfr_expm1(result.value_, result.value_, MPFR_RNDN);
  mpfr_neg(result.value_, result.value_, MPFR_RNDN);
  return result;
}

Uint128 Real::Floor128() const {
  assert(mpfr_sgn(value_) >= 0 && mpfr_cmp_ui(value_, 1) <= 0);
  if (mpfr_cmp_ui(value_, 1) >= 0) return ~Uint128{0};
  mpz_t scaled;
  mpz_init(scaled);
  Real shifted;
  mpfr_mul_2ui(shifted.value_, value_, 128, MPFR_RNDN);  // exact
  mpfr_get_z(scaled, shifted.value_, MPFR_RNDD);
  std::array<std::uint64_t, 2> words{};
  mpz_export(words.data(), nullptr, -1, sizeof(words[0]), 0, 0, scaled);
  mpz_clear(scaled);
  return (Uint128{words[1]} << 64) | words[0];
}

}  // namespace sotto::internal
