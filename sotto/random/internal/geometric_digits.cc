#include "sotto/random/internal/geometric_digits.h"

#include <algorithm>
#include <utility>

#include "sotto/base/int128.h"
#include "sotto/random/internal/rate.h"
#include "sotto/random/internal/real.h"
#include "sotto/random/noise_observer.h"

namespace sotto::internal {
namespace {

// Bits per word. A word costs the same keystream for any number of bits w, and
// 2^w - 1 comparisons. 4 minimises the sum (fixed_work_geometric.md, Cost).
constexpr unsigned kBitsPerWord = 4;
// e^-71 < 2^-102 is cut off (fixed_work_geometric.md, step 4).
constexpr std::uint64_t kCutoff = 71;

// Pr[digit < j] for j = 1, ..., 2^width: (1 - s^j) / (1 - s^(2^width)), where
// s = e^-unit (fixed_work_geometric.md, step 1).
std::vector<Real> Cumulative(const Real& unit, unsigned width) {
  const std::uint64_t radix = std::uint64_t{1} << width;
  const Real whole = OneMinusExpOfMinus(unit * Real(radix));
  std::vector<Real> below;
  below.reserve(radix);
  for (std::uint64_t j = 1; j <= radix; ++j) {
    below.push_back(OneMinusExpOfMinus(unit * Real(j)) / whole);
  }
  return below;
}

ThresholdTable MakeTable(const std::vector<Real>& cumulative) {
  std::vector<Uint128> thresholds;
  thresholds.reserve(cumulative.size());
  for (const Real& probability : cumulative) {
    thresholds.push_back(probability.Floor128());
  }
  thresholds.pop_back();  // The last one is 1: no draw reaches it.
  return ThresholdTable(std::move(thresholds));
}

// The digit below a sign bit that is set with probability t / (1 + t).
std::vector<Real> WithSign(const std::vector<Real>& cumulative,
                           const Real& rate) {
  const Real plus = Real(1) / (Real(1) + ExpOfMinus(rate));
  const Real minus = Real(1) - plus;
  std::vector<Real> joint;
  joint.reserve(2 * cumulative.size());
  for (const Real& p : cumulative) joint.push_back(plus * p);
  for (const Real& p : cumulative) joint.push_back(plus + minus * p);
  return joint;
}

// Splits `bits` over the fewest words of at most kBitsPerWord, as evenly as
// possible, narrow ones first: the top word also gets the sign.
std::vector<unsigned> Widths(unsigned bits) {
  const unsigned words = std::max(1u, (bits + kBitsPerWord - 1) / kBitsPerWord);
  std::vector<unsigned> widths(words, bits / words);
  for (unsigned i = 0; i < bits % words; ++i) ++widths[words - 1 - i];
  return widths;
}

}  // namespace

Result<GeometricDigits> GeometricDigits::Create(const Rational& rate,
                                                Sign sign) {
  SOTTO_TRY(CheckRate(rate));
  return GeometricDigits(rate, sign, BitsUpTo(kCutoff, rate));
}

GeometricDigits::GeometricDigits(const Rational& rate, Sign sign, unsigned bits)
    : bits_(bits) {
  const Real exact_rate(rate);
  const bool with_sign = sign == Sign::kAboveTheTop;
  std::vector<unsigned> widths = Widths(bits + (with_sign ? 1 : 0));
  if (with_sign) --widths.back();
  unsigned shift = 0;
  for (const unsigned width : widths) {
    const Real unit = exact_rate * Real(std::uint64_t{1} << shift);
    std::vector<Real> cumulative = Cumulative(unit, width);
    if (with_sign && shift + width == bits) {
      cumulative = WithSign(cumulative, exact_rate);
    }
    digits_.push_back({MakeTable(cumulative), shift});
    shift += width;
  }
}

std::int64_t GeometricDigits::Draw(Rng& rng) const {
  ReportDraws(rng, *this, 1);
  std::uint64_t value = 0;
  for (const Digit& digit : digits_)
    value |= digit.table.Draw(rng) << digit.shift;
  return static_cast<std::int64_t>(value);
}

void GeometricDigits::Fill(Rng& rng, std::span<std::int64_t> values) const {
  ReportDraws(rng, *this, values.size());
  std::ranges::fill(values, 0);
  while (!values.empty()) {
    const auto batch =
        values.first(std::min(values.size(), ThresholdTable::kBatch));
    for (const Digit& digit : digits_) {
      digit.table.DrawBatch(rng, digit.shift, batch);
    }
    values = values.subspan(batch.size());
  }
}

}  // namespace sotto::internal
