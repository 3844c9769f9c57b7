#include "sotto/accounting/binomial_composition.h"

#include <algorithm>
#include <cmath>

#include "sotto/accounting/mpfr_number.h"
#include "sotto/accounting/rounding.h"
#include "sotto/accounting/safe_root.h"

namespace sotto {
namespace {

constexpr std::uint64_t kMaxCount = 1'000'000'000'000;
constexpr mpfr_prec_t kPrecision = 192;
constexpr long double kLongUnit = 0x1p-64L;
constexpr long double kNegligible =
    0x1p-70L;  // of the sum: the rest is bounded
constexpr double kLeastEpsilon = 1e-15;
constexpr double kMostEpsilon = 1e9;
constexpr double kEpsilonTolerance = 1e-9;

Status Check(double epsilon_each, std::uint64_t count) {
  if (!(epsilon_each >= kLeastEpsilon) || !(epsilon_each <= kMostEpsilon)) {
    return InvalidArgument("epsilon of each must be in [1e-15, 1e9]");
  }
  if (count < 1 || count > kMaxCount) {
    return InvalidArgument("compositions must be in [1, 1e12]");
  }
  return Ok();
}

// ln of the probability that k of n coins, each 1 with probability
// 1 / (1 + e^-e), show 1; within 2^-100 of it (binomial_composition.md, step
// 3).
void LogProbability(double e, std::uint64_t n, std::uint64_t k, mpfr_ptr out) {
  MpfrNumber term(kPrecision);
  const auto log_factorial = [&term](std::uint64_t m) {
    mpfr_set_uj(term.get(), m + 1, MPFR_RNDN);
    mpfr_lngamma(term.get(), term.get(), MPFR_RNDN);
  };
  log_factorial(n);
  mpfr_set(out, term.get(), MPFR_RNDN);
  log_factorial(k);
  mpfr_sub(out, out, term.get(), MPFR_RNDN);
  log_factorial(n - k);
  mpfr_sub(out, out, term.get(), MPFR_RNDN);
  // k ln p + (n-k) ln(1-p) = -(n-k) e - n ln(1 + e^-e).
  MpfrNumber rate(kPrecision, e);
  mpfr_mul_ui(term.get(), rate.get(), n - k, MPFR_RNDN);
  mpfr_sub(out, out, term.get(), MPFR_RNDN);
  mpfr_neg(rate.get(), rate.get(), MPFR_RNDN);
  mpfr_exp(rate.get(), rate.get(), MPFR_RNDN);
  mpfr_log1p(rate.get(), rate.get(), MPFR_RNDN);
  mpfr_mul_ui(rate.get(), rate.get(), n, MPFR_RNDN);
  mpfr_sub(out, out, rate.get(), MPFR_RNDN);
}

// The sum of the terms relative to the probability of one of them.
class RelativeSum {
 public:
  RelativeSum(double e, std::uint64_t n, double epsilon)
      : e_(e),
        n_(static_cast<long double>(n)),
        odds_(std::exp(static_cast<long double>(e))),
        // Losses are computed with at most this error: charge it to epsilon.
        at_(epsilon - 8 * kLongUnit * (n_ * e_ + epsilon)) {}

  // The least k whose loss may exceed epsilon.
  std::uint64_t Least() const {
    const long double k = std::floor((at_ / e_ + n_) / 2);
    return k < 1 ? 0 : static_cast<std::uint64_t>(k);
  }

  long double From(std::uint64_t start, std::uint64_t least) {
    long double sum = Gain(start);
    sum += Rising(start, sum);
    sum += Falling(start, least, sum);
    return sum * (1 + (4 * steps_ + 64) * 2 * kLongUnit);
  }

 private:
  long double Gain(std::uint64_t k) const {
    const long double above = (2 * static_cast<long double>(k) - n_) * e_ - at_;
    return above > 0 ? -std::expm1(-above) : 0.0L;
  }

  // Ratios fall with k: once below one, a geometric series bounds the rest.
  long double Rising(std::uint64_t start, long double so_far) {
    long double sum = 0;
    long double term = 1;
    for (auto k = static_cast<long double>(start); k < n_; ++k) {
      const long double ratio = (n_ - k) / (k + 1) * odds_;
      if (ratio < 1) {
        const long double rest = term * ratio / (1 - ratio);
        if (rest <= kNegligible * (sum + so_far)) return sum + 2 * rest;
      }
      term *= ratio;
      sum += term * Gain(static_cast<std::uint64_t>(k) + 1);
      ++steps_;
    }
    return sum;
  }

  long double Falling(std::uint64_t start, std::uint64_t least,
                      long double so_far) {
    long double sum = 0;
    long double term = 1;
    for (auto k = static_cast<long double>(start);
         k > static_cast<long double>(least); --k) {
      const long double ratio = k / (n_ - k + 1) / odds_;
      if (ratio < 1) {
        const long double rest = term * ratio / (1 - ratio);
        if (rest <= kNegligible * (sum + so_far)) return sum + 2 * rest;
      }
      term *= ratio;
      sum += term * Gain(static_cast<std::uint64_t>(k) - 1);
      ++steps_;
    }
    return sum;
  }

  long double e_;
  long double n_;
  long double odds_;
  long double at_;
  long double steps_ = 0;
};

// ln(delta), rounded up; -infinity where delta is zero.
double LogDelta(double e, std::uint64_t n, double epsilon) {
  if (epsilon >= UpMul(static_cast<double>(n), e)) return -HUGE_VAL;
  RelativeSum terms(e, n, epsilon);
  const std::uint64_t least = std::min(terms.Least(), n);
  // Start where the terms are largest: at the mode, or just above epsilon.
  const double mode = static_cast<double>(n) / (1 + std::exp(-e));
  const std::uint64_t start =
      std::min(n, std::max(least + 1, static_cast<std::uint64_t>(mode)));
  const long double sum = terms.From(start, least);
  if (!(sum > 0)) return -HUGE_VAL;
  MpfrNumber log_delta(kPrecision);
  MpfrNumber log_sum(kPrecision);
  LogProbability(e, n, start, log_delta.get());
  mpfr_set_ld(log_sum.get(), sum, MPFR_RNDU);
  mpfr_log(log_sum.get(), log_sum.get(), MPFR_RNDU);
  mpfr_add(log_delta.get(), log_delta.get(), log_sum.get(), MPFR_RNDU);
  return StepUp(mpfr_get_d(log_delta.get(), MPFR_RNDU));
}

}  // namespace

Result<double> BinomialDelta(double epsilon_each, std::uint64_t count,
                             double epsilon) {
  if (Status ok = Check(epsilon_each, count); !ok) return ok.error();
  if (!(epsilon >= 0) || !std::isfinite(epsilon)) {
    return InvalidArgument("epsilon must be finite and not negative");
  }
  const double log_delta = LogDelta(epsilon_each, count, epsilon);
  if (std::isnan(log_delta)) {
    return Error{ErrorCode::kNotConverged, "the binomial sum overflowed"};
  }
  if (log_delta == -HUGE_VAL) return 0.0;
  return std::min(1.0, InflateUp(std::exp(log_delta), 0x1p-50));
}

Result<double> BinomialEpsilon(double epsilon_each, std::uint64_t count,
                               double delta) {
  if (Status ok = Check(epsilon_each, count); !ok) return ok.error();
  if (!(delta > 0) || !(delta < 1)) {
    return InvalidArgument("delta must be strictly between 0 and 1");
  }
  const double target = InflateUp(std::log(delta), -0x1p-50);
  const auto excess = [&](double epsilon) -> Result<double> {
    return LogDelta(epsilon_each, count, epsilon) - target;
  };
  const RootEnd zero{0, *excess(0)};
  if (zero.excess <= 0) return 0.0;
  const RootEnd end{UpMul(static_cast<double>(count), epsilon_each), -HUGE_VAL};
  return SafeRoot(excess, zero, end, kEpsilonTolerance);
}

}  // namespace sotto
