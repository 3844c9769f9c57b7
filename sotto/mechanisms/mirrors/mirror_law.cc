#include "sotto/mechanisms/mirrors/mirror_law.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "sotto/accounting/rounding.h"

namespace sotto {
namespace {

std::vector<Uint128> Thresholds(const std::vector<Uint128>& units) {
  std::vector<Uint128> thresholds;
  Uint128 sum = 0;
  for (std::size_t i = 0; i + 1 < units.size(); ++i) {
    thresholds.push_back(sum += units[i]);
  }
  return thresholds;
}

// The mass of peak, decay * peak, ... down to the first value <= end.
long double TailMass(long double peak, const MirrorHump& hump) {
  long double mass = peak;
  while (hump.decay > 0 && peak > hump.end) mass += peak *= hump.decay;
  return mass;
}

// Appends peak, decay * peak, ..., with the least peak that is heavy enough:
// what is too much is scaled away by the caller, and scaling down keeps every
// limit.
void AppendFall(const MirrorHump& hump, long double rest, long double limit,
                std::vector<long double>& weights) {
  long double low = 0;
  long double high = limit;
  for (int i = 0; i < 100 && low < high; ++i) {
    const long double middle = (low + high) / 2;
    (TailMass(middle, hump) < rest ? low : high) = middle;
  }
  weights.push_back(high);
  while (hump.decay > 0 && weights.back() > hump.end) {
    weights.push_back(weights.back() * hump.decay);
  }
}

}  // namespace

MirrorLaw::MirrorLaw(std::uint64_t first, std::vector<Uint128> units)
    : first_(first), units_(std::move(units)), table_(Thresholds(units_)) {}

Result<MirrorLaw> MirrorLaw::Create(std::uint64_t first,
                                    const std::vector<long double>& weights) {
  if (weights.size() < 2 || weights.size() > kMaxSize) {
    return InvalidArgument("a mirror law needs 2 to 65536 values");
  }
  const long double total =
      std::accumulate(weights.begin(), weights.end(), 0.0L);
  if (!(total > 0) || !std::isfinite(total)) {
    return InvalidArgument("the weights of a mirror law must be positive");
  }
  std::vector<Uint128> units;
  Uint128 others = 0;
  const auto largest = static_cast<std::size_t>(
      std::max_element(weights.begin(), weights.end()) - weights.begin());
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const long double share = weights[i] / total * 0x1p128L;
    if (i != largest && !(share >= 1 && share < 0x1p128L)) {
      return InvalidArgument("a weight of a mirror law is too small");
    }
    units.push_back(i == largest ? Uint128{0} : static_cast<Uint128>(share));
    others += units.back();
  }
  units[largest] = Uint128{0} - others;  // 2^128 - others
  return MirrorLaw(first, std::move(units));
}

Uint128 MirrorLaw::Units(std::uint64_t value) const {
  if (value < first_ || value > last()) return 0;
  return units_[value - first_];
}

long double MirrorLaw::Probability(std::uint64_t value) const {
  return static_cast<long double>(Units(value)) * 0x1p-128L;
}

double MirrorLaw::Mean() const {
  long double mean = 0;
  for (std::uint64_t value = first_; value <= last(); ++value) {
    mean += static_cast<long double>(value) * Probability(value);
  }
  return static_cast<double>(mean);
}

long double MirrorLaw::MaxGrowth() const {
  long double growth = 0;
  for (std::uint64_t value = first_; value < last(); ++value) {
    growth = std::max(growth, Probability(value + 1) / Probability(value));
  }
  return growth * (1 + 0x1p-60L);
}

std::vector<long double> HumpWeights(const MirrorHump& hump) {
  std::vector<long double> weights = {hump.start};
  long double accumulated = hump.start;  // A(k)
  long double rest = 1 - hump.start;
  while (rest > 0 && weights.size() < MirrorLaw::kMaxSize / 2) {
    const long double limit = std::min(hump.growth * accumulated + hump.addend,
                                       hump.cap * weights.back());
    if (TailMass(limit, hump) >= rest) {
      AppendFall(hump, rest, limit, weights);
      return weights;
    }
    weights.push_back(limit);
    rest -= limit;
    accumulated = limit + hump.memory * accumulated;
  }
  return {};
}

double ExpDown(double x) { return StepDown(StepDown(std::exp(x))); }

}  // namespace sotto
