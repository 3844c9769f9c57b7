#include "sotto/accounting/binomial_composition.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "sotto/accounting/mpfr_number.h"
#include "sotto/accounting/rounding.h"
#include "sotto/accounting/safe_root.h"

namespace sotto {
namespace {

constexpr std::uint64_t kMaxCount = 1'000'000'000'000;
constexpr mpfr_prec_t kPrecision = 192;
// The roundings counted in binomial_composition.md, step 3, are of 2^-64.
static_assert(std::numeric_limits<long double>::digits >= 64);
constexpr long double kLongUnit = 0x1p-64L;
// Relative to the sum. Smaller terms are bounded, not added.
constexpr long double kNegligible = 0x1p-52L;
constexpr std::uint64_t kCheckEvery = 16;  // steps; a power of two
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
// 1 / (1 + e^-e), show 1; within 2^-100 of it (binomial_composition.md,
// step 3).
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
      : count_(n),
        e_(e),
        n_(static_cast<long double>(n)),
        odds_(std::exp(static_cast<long double>(e))),
        step_(-std::expm1(-2 * static_cast<long double>(e))),
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
    return sum * (1 + static_cast<long double>(4 * steps_ + 64 + 8 * kBlock) *
                          2 * kLongUnit);
  }

 private:
  static constexpr std::uint64_t kBlock = 256;

  // 1 - e^(epsilon - loss of k), or zero.
  long double Gain(std::uint64_t k) {
    if (k - block_first_ >= kBlock) FillBlock(k - k % kBlock);
    return block_[k - block_first_];
  }

  long double GainAfresh(std::uint64_t k) const {
    const long double above = (2 * static_cast<long double>(k) - n_) * e_ - at_;
    return above > 0 ? -std::expm1(-above) : 0.0L;
  }

  // Exponentials are expensive. Within a block r <- r + (1 - r)(1 - e^(-2e)),
  // all terms positive.
  void FillBlock(std::uint64_t first) {
    block_first_ = first;
    for (std::uint64_t i = 0; i < kBlock; ++i) {
      const long double before = i > 0 ? block_[i - 1] : 0.0L;
      block_[i] =
          before > 0 ? before + (1 - before) * step_ : GainAfresh(first + i);
    }
  }

  // Ratios fall with k: once below one, a geometric series bounds the rest.
  long double Rising(std::uint64_t start, long double so_far) {
    long double sum = 0;
    long double term = 1;
    for (std::uint64_t k = start; k < count_; ++k) {
      const auto at = static_cast<long double>(k);
      const long double ratio = (n_ - at) / (at + 1) * odds_;
      if (ratio < 1 && steps_ % kCheckEvery == 0) {
        const long double rest = term * ratio / (1 - ratio);
        if (rest <= kNegligible * (sum + so_far)) return sum + 2 * rest;
      }
      term *= ratio;
      sum += term * Gain(k + 1);
      ++steps_;
    }
    return sum;
  }

  long double Falling(std::uint64_t start, std::uint64_t least,
                      long double so_far) {
    long double sum = 0;
    long double term = 1;
    for (std::uint64_t k = start; k > least; --k) {
      const auto at = static_cast<long double>(k);
      const long double ratio = at / (n_ - at + 1) / odds_;
      if (ratio < 1 && steps_ % kCheckEvery == 0) {
        const long double rest = term * ratio / (1 - ratio);
        if (rest <= kNegligible * (sum + so_far)) return sum + 2 * rest;
      }
      term *= ratio;
      sum += term * Gain(k - 1);
      ++steps_;
    }
    return sum;
  }

  std::uint64_t count_;
  long double e_;
  long double n_;
  long double odds_;
  long double step_;
  long double at_;
  std::uint64_t steps_ = 0;
  std::array<long double, kBlock> block_{};
  std::uint64_t block_first_ = ~std::uint64_t{0} - kBlock;  // none yet
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

// Estimates of epsilon by Hoeffding's bound and by the Gaussian. They only
// start the search.
std::pair<double, double> Deviations(double e, std::uint64_t n, double delta) {
  const auto count = static_cast<double>(n);
  const double mean = count * e * std::tanh(e / 2);
  const double hoeffding = e * std::sqrt(-2 * count * std::log(delta));
  return {mean + hoeffding / 2, mean + hoeffding};
}

}  // namespace

Result<double> BinomialDelta(double epsilon_each, std::uint64_t count,
                             double epsilon) {
  SOTTO_TRY(Check(epsilon_each, count));
  if (!(epsilon >= 0) || !std::isfinite(epsilon)) {
    return InvalidArgument("epsilon must be finite and not negative");
  }
  const double log_delta = LogDelta(epsilon_each, count, epsilon);
  if (std::isnan(log_delta)) {
    return NotConverged("the binomial sum overflowed");
  }
  if (log_delta == -HUGE_VAL) return 0.0;
  return std::min(1.0, InflateUp(std::exp(log_delta), 0x1p-50));
}

Result<double> BinomialEpsilon(double epsilon_each, std::uint64_t count,
                               double delta) {
  SOTTO_TRY(Check(epsilon_each, count));
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
  const auto [low, high] = Deviations(epsilon_each, count, delta);
  RootEnd unsafe = zero;
  RootEnd safe = end;
  for (const double x : {low, high}) {
    if (!(x > unsafe.x) || !(x < safe.x)) continue;
    const RootEnd at{x, *excess(x)};
    (at.excess <= 0 ? safe : unsafe) = at;
  }
  return SafeRoot(excess, unsafe, safe, kEpsilonTolerance);
}

}  // namespace sotto
