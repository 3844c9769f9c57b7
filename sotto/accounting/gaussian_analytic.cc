#include "sotto/accounting/gaussian_analytic.h"

#include <bit>
#include <cmath>
#include <limits>
#include <tuple>

#include "sotto/accounting/mpfr_number.h"
#include "sotto/base/memo.h"

namespace sotto {
namespace {

constexpr double kMinSigma = 1e-9;
constexpr double kMaxSigma = 1e15;
constexpr double kMaxEpsilon = 5e8;  // e^epsilon within the exponents of MPFR
constexpr std::uint64_t kMaxCompositions = std::uint64_t{1} << 53;
constexpr double kFarTail = 40;  // Phi(-40) < 2^-1074
constexpr mpfr_prec_t kFirstPrecision = 128;
constexpr mpfr_prec_t kLastPrecision = 8192;

Status Check(const GaussianComposition& mechanism) {
  if (!(mechanism.sigma >= kMinSigma) || !(mechanism.sigma <= kMaxSigma)) {
    return InvalidArgument("sigma must be in [1e-9, 1e15]");
  }
  if (mechanism.compositions < 1 || mechanism.compositions > kMaxCompositions) {
    return InvalidArgument("compositions must be in [1, 2^53]");
  }
  return Ok();
}

Status CheckDelta(double delta) {
  if (!(delta > 0) || !(delta < 1)) {
    return InvalidArgument("delta must be strictly between 0 and 1");
  }
  return Ok();
}

mpfr_rnd_t Opposite(mpfr_rnd_t direction) {
  return direction == MPFR_RNDU ? MPFR_RNDD : MPFR_RNDU;
}

// Phi(-x) from an x rounded against `direction`: erfc(x / sqrt 2) / 2.
void UpperTail(mpfr_ptr out, const MpfrNumber& x, mpfr_rnd_t direction) {
  const mpfr_prec_t precision = mpfr_get_prec(out);
  MpfrNumber root(precision, 2.0);
  // Dividing by the larger root makes a positive x smaller; a negative x
  // larger.
  const bool larger_root = (mpfr_sgn(x.get()) >= 0) == (direction == MPFR_RNDU);
  mpfr_sqrt(root.get(), root.get(), larger_root ? MPFR_RNDU : MPFR_RNDD);
  mpfr_div(root.get(), x.get(), root.get(), Opposite(direction));
  mpfr_erfc(out, root.get(), direction);
  mpfr_div_2ui(out, out, 1, direction);
}

// A bound on delta in `direction` (gaussian_analytic.md, step 2). mu itself is
// rounded with it: delta grows with mu.
void DeltaBound(mpfr_ptr out, const GaussianComposition& mechanism,
                double epsilon, mpfr_rnd_t direction) {
  const mpfr_prec_t precision = mpfr_get_prec(out);
  const mpfr_rnd_t opposite = Opposite(direction);
  MpfrNumber mu(precision);
  mpfr_set_uj(mu.get(), mechanism.compositions, MPFR_RNDN);
  mpfr_sqrt(mu.get(), mu.get(), direction);
  mpfr_div_d(mu.get(), mu.get(), mechanism.sigma, direction);
  // Now mu is a fixed number. low = epsilon/mu - mu/2, high = epsilon/mu +
  // mu/2.
  MpfrNumber half(precision);
  mpfr_div_2ui(half.get(), mu.get(), 1, MPFR_RNDN);
  MpfrNumber at(precision, epsilon);
  MpfrNumber quotient(precision);
  MpfrNumber argument(precision);
  mpfr_div(quotient.get(), at.get(), mu.get(), opposite);
  mpfr_sub(argument.get(), quotient.get(), half.get(), opposite);
  UpperTail(out, argument, direction);
  mpfr_div(quotient.get(), at.get(), mu.get(), direction);
  mpfr_add(argument.get(), quotient.get(), half.get(), direction);
  MpfrNumber second(precision);
  UpperTail(second.get(), argument, opposite);
  mpfr_exp(at.get(), at.get(), opposite);
  mpfr_mul(second.get(), second.get(), at.get(), opposite);
  mpfr_sub(out, out, second.get(), direction);
}

// The least double not below delta, or an error.
Result<double> DeltaUp(const GaussianComposition& mechanism, double epsilon) {
  const double mu =
      std::sqrt(static_cast<double>(mechanism.compositions)) / mechanism.sigma;
  // Step 4: the difference may cancel; the margin covers its rounding.
  const double quotient = epsilon / mu;
  if (quotient - mu / 2 > kFarTail + 0x1p-49 * (quotient + mu / 2)) {
    return std::numeric_limits<double>::denorm_min();
  }
  if (epsilon > kMaxEpsilon) return NotConverged("epsilon is above 5e8");
  for (mpfr_prec_t precision = kFirstPrecision; precision <= kLastPrecision;
       precision *= 2) {
    MpfrNumber bound(precision);
    DeltaBound(bound.get(), mechanism, epsilon, MPFR_RNDU);
    const double upper = mpfr_get_d(bound.get(), MPFR_RNDU);
    DeltaBound(bound.get(), mechanism, epsilon, MPFR_RNDD);
    // A lower bound that is negative or not a number decides nothing.
    if (mpfr_sgn(bound.get()) <= 0 || mpfr_nan_p(bound.get()) != 0) continue;
    if (mpfr_get_d(bound.get(), MPFR_RNDU) == upper) return upper;
  }
  return NotConverged("delta could not be decided to the last bit");
}

// The least positive double with safe(x), for a predicate that stays true once
// it is: bisection over the bit patterns, which are ordered as the doubles are.
template <typename Predicate>
Result<double> LeastDouble(const Predicate& safe, double low, double high) {
  auto below = std::bit_cast<std::uint64_t>(low);
  auto above = std::bit_cast<std::uint64_t>(high);
  while (above - below > 1) {
    const std::uint64_t middle = below + (above - below) / 2;
    SOTTO_TRY_ASSIGN(const bool holds, safe(std::bit_cast<double>(middle)));
    (holds ? above : below) = middle;
  }
  return std::bit_cast<double>(above);
}

}  // namespace

Result<double> GaussianDelta(const GaussianComposition& mechanism,
                             double epsilon) {
  SOTTO_TRY(Check(mechanism));
  if (!(epsilon >= 0) || !std::isfinite(epsilon)) {
    return InvalidArgument("epsilon must be finite and not negative");
  }
  return DeltaUp(mechanism, epsilon);
}

Result<double> GaussianEpsilon(const GaussianComposition& mechanism,
                               double delta) {
  SOTTO_TRY(Check(mechanism));
  SOTTO_TRY(CheckDelta(delta));
  const auto safe = [&](double epsilon) -> Result<bool> {
    SOTTO_TRY_ASSIGN(const double bound, DeltaUp(mechanism, epsilon));
    return bound <= delta;
  };
  SOTTO_TRY_ASSIGN(const bool at_zero, safe(0));
  if (at_zero) return 0.0;
  // Double until safe, so that the arithmetic never sees absurd arguments.
  double high = 1e-9;
  while (true) {
    SOTTO_TRY_ASSIGN(const bool holds, safe(high));
    if (holds) break;
    high *= 2;
  }
  return LeastDouble(safe, high > 1e-9 ? high / 2 : 0.0, high);
}

namespace {

Result<double> LeastSigma(double epsilon, double delta,
                          std::uint64_t compositions) {
  SOTTO_TRY(Check({.sigma = 1, .compositions = compositions}));
  SOTTO_TRY(CheckDelta(delta));
  if (!(epsilon >= 0) || !std::isfinite(epsilon)) {
    return InvalidArgument("epsilon must be finite and not negative");
  }
  const auto safe = [&](double sigma) -> Result<bool> {
    SOTTO_TRY_ASSIGN(
        const double bound,
        DeltaUp({.sigma = sigma, .compositions = compositions}, epsilon));
    return bound <= delta;
  };
  double high = kMinSigma;
  while (high <= kMaxSigma) {
    SOTTO_TRY_ASSIGN(const bool holds, safe(high));
    if (holds) break;
    high *= 2;
  }
  if (high > kMaxSigma) return NotConverged("sigma would exceed 1e15");
  if (high == kMinSigma) return high;
  return LeastDouble(safe, high / 2, high);
}

}  // namespace

Result<double> GaussianSigma(double epsilon, double delta,
                             std::uint64_t compositions) {
  using Question = std::tuple<double, double, std::uint64_t>;
  static Memo<Question, Result<double>> memo;
  return memo.Get({epsilon, delta, compositions},
                  [&] { return LeastSigma(epsilon, delta, compositions); });
}

}  // namespace sotto
