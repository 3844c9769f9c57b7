#pragma once

#include <gmp.h>

#include <compare>
#include <concepts>
#include <cstdint>
#include <iosfwd>

namespace sotto {

// An exact rational of any size, for games that are solved without rounding.
//
//   ExactNumber third(1, 3);
//   ExactNumber tenth(0.1);   // the double nearest to 0.1, exactly
//
// Dividing by zero ends the program, as GMP does.
class ExactNumber {
 public:
  ExactNumber() { mpq_init(value_); }
  template <std::integral T>
  ExactNumber(T value)  // NOLINT: an integer is such a number.
      : ExactNumber() {
    if constexpr (std::signed_integral<T>) {
      static_assert(sizeof(T) <= sizeof(long));
      mpq_set_si(value_, static_cast<long>(value), 1);
    } else {
      static_assert(sizeof(T) <= sizeof(unsigned long));
      mpq_set_ui(value_, static_cast<unsigned long>(value), 1);
    }
  }
  ExactNumber(std::int64_t numerator, std::int64_t denominator);
  explicit ExactNumber(double value);  // Requires a finite value.

  ExactNumber(const ExactNumber& other) : ExactNumber() { *this = other; }
  ExactNumber(ExactNumber&& other) noexcept : ExactNumber() {
    mpq_swap(value_, other.value_);
  }
  ExactNumber& operator=(const ExactNumber& other) {
    mpq_set(value_, other.value_);
    return *this;
  }
  ExactNumber& operator=(ExactNumber&& other) noexcept {
    mpq_swap(value_, other.value_);
    return *this;
  }
  ~ExactNumber() { mpq_clear(value_); }

  ExactNumber& operator+=(const ExactNumber& other);
  ExactNumber& operator-=(const ExactNumber& other);
  ExactNumber& operator*=(const ExactNumber& other);
  ExactNumber& operator/=(const ExactNumber& other);

  friend ExactNumber operator+(ExactNumber a, const ExactNumber& b) {
    return a += b;
  }
  friend ExactNumber operator-(ExactNumber a, const ExactNumber& b) {
    return a -= b;
  }
  friend ExactNumber operator*(ExactNumber a, const ExactNumber& b) {
    return a *= b;
  }
  friend ExactNumber operator/(ExactNumber a, const ExactNumber& b) {
    return a /= b;
  }
  friend ExactNumber operator-(const ExactNumber& a) { return 0 - a; }

  friend bool operator==(const ExactNumber& a, const ExactNumber& b) {
    return mpq_equal(a.value_, b.value_) != 0;
  }
  friend std::strong_ordering operator<=>(const ExactNumber& a,
                                          const ExactNumber& b) {
    return mpq_cmp(a.value_, b.value_) <=> 0;
  }

  // Rounded towards zero.
  explicit operator double() const { return mpq_get_d(value_); }

  friend std::ostream& operator<<(std::ostream& out, const ExactNumber& x);

 private:
  mpq_t value_;
};

}  // namespace sotto
