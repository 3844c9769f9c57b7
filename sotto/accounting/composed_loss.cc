#include "sotto/accounting/composed_loss.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>

#include "sotto/accounting/fft.h"
#include "sotto/accounting/rounding.h"

namespace sotto {
namespace {

using Complex = std::complex<double>;

constexpr double kUnit = 0x1p-53;
constexpr double kProductError = 3 * kUnit;  // sqrt(5) u for a complex product
constexpr double kSpare = 1 + 1e-9;          // for the arithmetic of the bounds
constexpr double kFarTilt = 60;  // terms below e^-60 are bounded, not summed
constexpr double kMaxCount = 0x1p53;
constexpr double kMaxMassError = 0.5;
constexpr std::size_t kMinSize = 4;

// Plain products: std::complex calls a library routine for infinities.
Complex Times(Complex a, Complex b) {
  return {a.real() * b.real() - a.imag() * b.imag(),
          a.real() * b.imag() + a.imag() * b.real()};
}

Complex Power(Complex base, std::uint64_t exponent) {
  Complex result(1, 0);
  while (true) {
    if ((exponent & 1) != 0) result = Times(result, base);
    exponent >>= 1;
    if (exponent == 0) return result;
    base = Times(base, base);
  }
}

// 1 - e^log_kept, rounded up; exactly zero only if nothing is lost.
double Lost(double log_kept) {
  return log_kept == 0 ? 0 : InflateUp(-std::expm1(log_kept), 64 * kUnit);
}

double LogMomentDifference(std::span<const GridTerm> terms, double from,
                           double to) {
  double sum = 0;
  for (const GridTerm& term : terms) {
    const double difference = ComputeMoments(*term.grid, to).log_moment -
                              ComputeMoments(*term.grid, from).log_moment;
    sum += static_cast<double>(term.count) *
           (difference + LogMomentError(*term.grid, from) +
            LogMomentError(*term.grid, to));
  }
  return InflateUp(sum, 8 * kUnit);
}

}  // namespace

TiltedMoments ComputeMoments(std::span<const GridTerm> terms, double tilt) {
  TiltedMoments sum;
  for (const GridTerm& term : terms) {
    const TiltedMoments one = ComputeMoments(*term.grid, tilt);
    const auto count = static_cast<double>(term.count);
    sum.log_moment += count * one.log_moment;
    sum.mean += count * one.mean;
    sum.variance += count * one.variance;
  }
  return sum;
}

// The steps of composed_loss.md, in order.
class LossComposer {
 public:
  LossComposer(std::span<const GridTerm> terms,
               const ComposedLoss::Params& params)
      : terms_(terms), params_(params) {}

  Result<ComposedLoss> Compose() {
    SOTTO_TRY(Check());
    CollectErrors();
    SOTTO_TRY(ChooseWindow());
    SOTTO_TRY(Inflate());
    SOTTO_TRY(Convolve());
    return std::move(out_);
  }

 private:
  Status Check() const {
    if (terms_.empty()) return InvalidArgument("nothing to compose");
    if (!(params_.tilt >= 0) || !(params_.tilt < 1e12) ||
        !(params_.window_tail > 0) || !(params_.window_tail < 1)) {
      return InvalidArgument("tilt in [0, 1e12) and window tail in (0, 1)");
    }
    for (const GridTerm& term : terms_) {
      if (term.count == 0 || static_cast<double>(term.count) >= kMaxCount) {
        return InvalidArgument("counts must be positive and below 2^53");
      }
      if (term.grid->mass.empty() ||
          term.grid->spacing != terms_.front().grid->spacing) {
        return InvalidArgument("lattices must share one spacing");
      }
    }
    return Ok();
  }

  // Steps 2 and 6: everything that shifts or is at infinity.
  void CollectErrors() {
    out_.tilt_ = params_.tilt;
    out_.spacing_ = terms_.front().grid->spacing;
    double log_kept = 0;
    double log_not_truncated = 0;
    for (const GridTerm& term : terms_) {
      const LossGrid& grid = *term.grid;
      const auto count = static_cast<double>(term.count);
      const double reach = (static_cast<double>(std::max(
                                std::abs(grid.first), std::abs(grid.last()))) +
                            1) *
                           grid.spacing;
      const double moment = ComputeMoments(grid, params_.tilt).log_moment;
      log_moments_.push_back(moment);
      out_.log_scale_ += count * moment;
      mass_errors_.push_back(
          grid.relative_error +
          kUnit * (16 + 8 * (params_.tilt * reach + std::abs(moment))));
      out_.slack_ += count * (grid.slack + 8 * kUnit * grid.spacing);
      out_.slack_ += count * reach * 8 * kUnit;
      out_.offset_ += count * grid.offset;
      lowest_ += count * static_cast<double>(grid.first);
      highest_ += count * static_cast<double>(grid.last());
      total_count_ += count;
      log_kept += count * std::log1p(-std::min(1.0, grid.infinity));
      log_not_truncated += count * std::log1p(-std::min(1.0, grid.truncated));
    }
    out_.infinity_ = Lost(log_kept);
    out_.truncated_ = Lost(log_not_truncated);
  }

  // Step 3: Chernoff's bound at a few exponents; the best one counts.
  double Reach(double sign, double variance) const {
    const double log_tail = -std::log(params_.window_tail);
    const double guess =
        variance > 0 ? std::sqrt(2 * log_tail / variance) : 1 / out_.spacing_;
    double best = HUGE_VAL;
    for (const double factor : {0.25, 0.5, 0.75, 1.0, 1.5, 2.5}) {
      const double t = std::min(guess * factor, 700 / out_.spacing_);
      const double log_ratio =
          LogMomentDifference(terms_, params_.tilt, params_.tilt + sign * t);
      const double reach = (log_ratio + log_tail) / t;
      if (reach < best) best = reach;
    }
    return InflateUp(best, 1e-12);
  }

  Status ChooseWindow() {
    const double h = out_.spacing_;
    const double variance = ComputeMoments(terms_, params_.tilt).variance;
    double low = std::floor(-Reach(-1, variance) / h - out_.offset_) - 1;
    double high = std::ceil(Reach(1, variance) / h - out_.offset_) + 1;
    out_.tail_ = params_.window_tail * kSpare;
    out_.below_ = out_.tail_;
    if (!(low > lowest_)) {
      low = lowest_;
      out_.below_ = 0;
    }
    if (!(high < highest_)) {
      high = highest_;
      out_.tail_ = 0;
    }
    if (!(high - low < static_cast<double>(params_.max_size)) ||
        !(std::abs(low) < kMaxCount) || !(std::abs(high) < kMaxCount)) {
      return NotConverged("the composition needs too large a transform");
    }
    const double points = std::max(1.0, high - low + 1);
    size_ = std::bit_ceil(std::max(kMinSize, static_cast<std::size_t>(points)));
    out_.first_ = low;
    out_.mass_.resize(static_cast<std::size_t>(points));
    return Ok();
  }

  // Step 2: the relative errors of the tilted masses. Those a whole period
  // apart are added up before the transform.
  Status Inflate() {
    for (std::size_t i = 0; i < terms_.size(); ++i) {
      const auto count = static_cast<double>(terms_[i].count);
      const std::size_t wraps = terms_[i].grid->mass.size() / size_ + 1;
      const double error = mass_errors_[i] + kUnit * static_cast<double>(wraps);
      if (!(error < kMaxMassError)) {
        return NotConverged("the tilt is too large for the arithmetic");
      }
      out_.log_inflation_ -= count * std::log1p(-error);
      out_.log_inflation_ += 8 * kUnit * count * std::abs(log_moments_[i]);
    }
    return Ok();
  }

  std::size_t Wrap(double index) const {
    // Exact: indices are integers below 2^53, and size_ is a power of two.
    const auto size = static_cast<std::int64_t>(size_);
    const std::int64_t rest = static_cast<std::int64_t>(index) % size;
    return static_cast<std::size_t>(rest < 0 ? rest + size : rest);
  }

  // Step 4: the transform of one tilted distribution.
  std::vector<Complex> TiltedTransform(std::size_t which,
                                       FourierTransform& transform) {
    const LossGrid& grid = *terms_[which].grid;
    std::vector<Complex> values(size_);
    for (std::size_t i = 0; i < grid.mass.size(); ++i) {
      if (grid.mass[i] <= 0) continue;
      const auto index =
          static_cast<double>(grid.first + static_cast<std::int64_t>(i));
      const double exponent =
          params_.tilt * ((index + grid.offset) * grid.spacing) -
          log_moments_[which];
      // A tiny mass may meet a huge factor: then add the logarithms.
      const double tilted = exponent < 600
                                ? grid.mass[i] * std::exp(exponent)
                                : std::exp(std::log(grid.mass[i]) + exponent);
      values[Wrap(index)] += tilted;
    }
    double mass = 0;
    for (const Complex& value : values) mass += value.real();
    entry_error_ = PointwiseFftError(size_) * mass * kSpare;
    transform.Forward(values);
    return values;
  }

  // Step 5: powers, product, back, and the bound on every entry.
  Status Convolve() {
    FourierTransform transform(size_);
    const std::size_t half = size_ / 2 + 1;  // the rest is conjugate
    std::vector<Complex> product(size_, Complex(1, 0));
    std::vector<double> log_bound(half, 0.0);
    std::vector<double> factor(half, total_count_ * kProductError);
    for (std::size_t which = 0; which < terms_.size(); ++which) {
      const std::vector<Complex> values = TiltedTransform(which, transform);
      const auto count = static_cast<double>(terms_[which].count);
      for (std::size_t k = 0; k < half; ++k) {
        product[k] = Times(product[k], Power(values[k], terms_[which].count));
        const double bound = std::sqrt(std::norm(values[k])) * (1 + 8 * kUnit) +
                             entry_error_ + kUnit;
        log_bound[k] += count * std::log(bound);
        factor[k] += count * entry_error_ / bound;
      }
    }
    double error = 0;
    double sum = 0;
    for (std::size_t k = 0; k < half; ++k) {
      const double twice = (k == 0 || 2 * k == size_) ? 1 : 2;
      const double bound = std::exp(log_bound[k]);
      error += twice * bound * factor[k];
      sum += twice * bound;
      if (k > 0 && 2 * k < size_) product[size_ - k] = std::conj(product[k]);
    }
    const auto size = static_cast<double>(size_);
    out_.round_off_ =
        (error + PointwiseFftError(size_) * (sum + error)) / size * (1 + 1e-6);
    if (!std::isfinite(out_.round_off_) || !std::isfinite(out_.log_scale_)) {
      return NotConverged("the composition overflowed");
    }
    transform.Inverse(product);
    for (std::size_t i = 0; i < out_.mass_.size(); ++i) {
      const double index = out_.first_ + static_cast<double>(i);
      out_.mass_[i] =
          std::max(0.0, product[Wrap(index)].real() / size + out_.round_off_);
    }
    return Ok();
  }

  std::span<const GridTerm> terms_;
  const ComposedLoss::Params& params_;
  ComposedLoss out_;
  std::vector<double> log_moments_;
  std::vector<double> mass_errors_;  // relative, of each term's tilted masses
  double lowest_ = 0;
  double highest_ = 0;
  double total_count_ = 0;
  double entry_error_ = 0;
  std::size_t size_ = 0;
};

Result<ComposedLoss> ComposedLoss::Create(std::span<const GridTerm> terms,
                                          const Params& params) {
  return LossComposer(terms, params).Compose();
}

double ComposedLoss::LossAt(std::size_t i) const {
  return (first_ + static_cast<double>(i) + offset_) * spacing_;
}

// Step 7: sum over losses l above `at` of mass * e^(-tilt (l - base)) * (1 -
// e^(at - l)), base the smallest of them or `at`, by recurrences of positive
// terms that are restarted every kFresh points.
ComposedLoss::WeightedSum ComposedLoss::SumAbove(double at) const {
  constexpr std::size_t kFresh = 256;
  const double position = std::floor((at - lowest()) / spacing_);
  std::size_t i = position < 0 ? 0
                               : static_cast<std::size_t>(std::min(
                                     position, static_cast<double>(size())));
  while (i < size() && LossAt(i) <= at) ++i;
  const double decay = std::exp(-tilt_ * spacing_);
  const double step = -std::expm1(-spacing_);  // of 1 - e^-s
  WeightedSum sum;
  sum.base = i < size() ? LossAt(i) : at;
  if (at < lowest() && below_ > 0) {  // step 3: what lies between counts fully
    sum.base = at;
    sum.far = below_;
  }
  double tilted = 0;
  double rising = 0;
  for (std::size_t done = 0; i < size(); ++i, ++done) {
    if (done % kFresh == 0) {
      const double above_base = LossAt(i) - sum.base;
      if (tilt_ * above_base > kFarTilt) {
        sum.far += 2 * std::exp(-kFarTilt);
        break;
      }
      tilted = std::exp(-tilt_ * above_base);
      rising = -std::expm1(at - LossAt(i));
    }
    const double weight = tilted * rising;
    sum.value += weight * mass_[i];
    sum.weights += weight;
    tilted *= decay;
    rising += (1 - rising) * step;
  }
  return sum;
}

ComposedLoss::Bound ComposedLoss::At(double epsilon) const {
  const double top = std::max(std::abs(lowest()), std::abs(highest()));
  const double at = epsilon - (slack_ + 16 * kUnit * (top + std::abs(epsilon)));
  const WeightedSum sum = SumAbove(at);
  const double beyond =
      tail_ * std::exp(-tilt_ * std::max(0.0, highest() - sum.base)) * kSpare;
  const double errors = beyond + sum.far + sum.weights * round_off_;
  const double value = sum.value + beyond + sum.far;
  const double rounding =
      kUnit * (static_cast<double>(size()) + 4096 + 2048 * tilt_ * spacing_ +
               8 * (std::abs(log_scale_) +
                    tilt_ * (std::abs(at) + std::abs(sum.base))));
  const double log_finite = value > 0 ? log_scale_ - tilt_ * sum.base +
                                            std::log(value) + log_inflation_ +
                                            rounding
                                      : -HUGE_VAL;
  if (!(log_finite > -700) && infinity_ == 0 && truncated_ == 0) {
    return {log_finite, value > 0 ? errors / value : 0};
  }
  const double finite = std::exp(std::min(log_finite, 1.0)) * (1 + 1e-14);
  const double total = finite + infinity_ + truncated_;
  const double share =
      value > 0 ? (finite * (errors / value) + truncated_) / total : 1;
  const double log_total = StepUp(std::log(total) + 1e-15);
  return {std::min(0.0, log_total), share};
}

}  // namespace sotto
