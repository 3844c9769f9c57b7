#include "sotto/testing/exact_number.h"

#include <ostream>
#include <string>

namespace sotto {

static_assert(sizeof(long) == sizeof(std::int64_t), "GMP's integers are longs");

ExactNumber::ExactNumber(std::int64_t numerator, std::int64_t denominator)
    : ExactNumber(numerator) {
  *this /= ExactNumber(denominator);
}

ExactNumber::ExactNumber(double value) : ExactNumber() {
  mpq_set_d(value_, value);
}

ExactNumber& ExactNumber::operator+=(const ExactNumber& other) {
  mpq_add(value_, value_, other.value_);
  return *this;
}

ExactNumber& ExactNumber::operator-=(const ExactNumber& other) {
  mpq_sub(value_, value_, other.value_);
  return *this;
}

ExactNumber& ExactNumber::operator*=(const ExactNumber& other) {
  mpq_mul(value_, value_, other.value_);
  return *this;
}

ExactNumber& ExactNumber::operator/=(const ExactNumber& other) {
  mpq_div(value_, value_, other.value_);
  return *this;
}

std::ostream& operator<<(std::ostream& out, const ExactNumber& x) {
  // Digits, signs, the bar and the end: GMP's own bound.
  std::string text(mpz_sizeinbase(mpq_numref(x.value_), 10) +
                       mpz_sizeinbase(mpq_denref(x.value_), 10) + 3,
                   '\0');
  return out << mpq_get_str(text.data(), 10, x.value_);
}

}  // namespace sotto
