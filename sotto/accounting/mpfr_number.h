#pragma once

#include <mpfr.h>

namespace sotto {

// An mpfr_t that frees itself. `get()` goes to the MPFR functions, which take
// the rounding direction with every operation.
//
//   MpfrNumber x(256, 2.0);
//   mpfr_sqrt(x.get(), x.get(), MPFR_RNDU);
//
// Threads: not thread-safe.
class MpfrNumber {
 public:
  explicit MpfrNumber(mpfr_prec_t precision) { mpfr_init2(value_, precision); }
  // Exact if precision >= 53.
  MpfrNumber(mpfr_prec_t precision, double value) : MpfrNumber(precision) {
    mpfr_set_d(value_, value, MPFR_RNDN);
  }
  ~MpfrNumber() { mpfr_clear(value_); }
  MpfrNumber(const MpfrNumber&) = delete;
  MpfrNumber& operator=(const MpfrNumber&) = delete;

  mpfr_ptr get() { return value_; }
  mpfr_srcptr get() const { return value_; }

 private:
  mpfr_t value_;
};

}  // namespace sotto
