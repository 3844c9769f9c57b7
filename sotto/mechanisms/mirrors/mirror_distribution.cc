#include "sotto/mechanisms/mirrors/mirror_distribution.h"

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

// True if peak, decay * peak, ... down to the first value <= end sum to `rest`.
// They are added up only where the bounds on the last of them leave it open
// (mirror_distribution.md, step 4), and no further than a distribution goes.
bool Carries(long double peak, const MirrorHump& hump, long double rest) {
  if (hump.decay == 0 || peak <= hump.end) return peak >= rest;
  constexpr long double kClear = 1e-12L;  // Far above what rounding does.
  const long double needed = rest * (1 - hump.decay);
  const long double least = peak - hump.decay * hump.end;
  const long double most = peak - hump.decay * hump.decay * hump.end;
  if (most < needed * (1 - kClear)) return false;
  if (least > needed * (1 + kClear)) return true;
  long double mass = peak;
  for (std::size_t n = 0; n < MirrorDistribution::kMaxSize && peak > hump.end;
       ++n) {
    mass += peak *= hump.decay;
  }
  return mass >= rest;
}

// Appends peak, decay * peak, ..., with the least peak that is heavy enough:
// what is too much is scaled away by the caller, and scaling down keeps every
// limit.
void AppendFall(const MirrorHump& hump, long double rest, long double limit,
                std::vector<long double>& weights) {
  long double low = 0;
  long double high = limit;
  for (int i = 0; i < 100; ++i) {
    const long double middle = (low + high) / 2;
    if (middle == low || middle == high) break;
    (Carries(middle, hump, rest) ? high : low) = middle;
  }
  weights.push_back(high);
  // One too many says that there are too many.
  while (hump.decay > 0 && weights.back() > hump.end &&
         weights.size() <= MirrorDistribution::kMaxSize) {
    weights.push_back(weights.back() * hump.decay);
  }
}

// x^n, 1 + x + ... + x^(n-1), and 1 + 2 x + ... + n x^(n-1).
struct Powers {
  Powers(long double x, long double n)
      : power(std::pow(x, n)),
        mass((1 - power) / (1 - x)),
        moment((mass - n * power) / (1 - x)) {}

  long double power;
  long double mass;
  long double moment;
};

// The rise so far: how many values, the last, A(last), what is left of 1, and
// the sum of k p(k).
struct Rise {
  std::size_t size;
  long double last;
  long double accumulated;
  long double rest;
  long double moment;
};

long double Limit(const Rise& rise, const MirrorHump& hump) {
  return std::min(hump.growth * rise.accumulated + hump.addend,
                  hump.cap * rise.last);
}

// Rises until the fall from the next limit carries the rest, and passes every
// value on the way to `each`. Returns false if that takes too long.
template <typename Each>
bool Climb(const MirrorHump& hump, Rise& rise, const Each& each) {
  for (; rise.rest > 0 && rise.size < MirrorDistribution::kMaxSize / 2;
       ++rise.size) {
    const long double limit = Limit(rise, hump);
    if (Carries(limit, hump, rise.rest)) return true;
    each(limit);
    rise.last = limit;
    rise.rest -= limit;
    rise.moment += static_cast<long double>(rise.size + 1) * limit;
    rise.accumulated = limit + hump.memory * rise.accumulated;
  }
  return false;
}

Rise Start(const MirrorHump& hump) {
  return {1, hump.start, hump.start, 1 - hump.start, hump.start};
}

// Where Climb comes to anyhow, or a little before, at once if the rise is
// geometric.
Rise StartHigh(const MirrorHump& hump) {
  const bool geometric = hump.memory == 0 && hump.addend == 0 &&
                         hump.growth > 1 && hump.growth <= hump.cap;
  if (!geometric) return Start(hump);
  const long double steep = hump.growth - 1;
  const long double flat = 1 - hump.decay;
  // No fall weighs more than peak / flat.
  const long double most =
      flat * (steep + hump.start) / (hump.start * (steep + flat));
  const long double steps = std::log(most) / std::log(hump.growth);
  constexpr std::size_t kMost = MirrorDistribution::kMaxSize / 2;
  const long double size =
      std::min(std::floor(steps) - 1, static_cast<long double>(kMost));
  if (!(size > 1)) return Start(hump);
  const Powers powers(hump.growth, size);
  const long double last = hump.start * powers.power / hump.growth;
  return {static_cast<std::size_t>(size), last, last,
          1 - hump.start * powers.mass, hump.start * powers.moment};
}

// A fall in closed form: peak, decay * peak, ..., `size` values.
struct Fall {
  long double peak;
  long double size;
  Powers powers;
};

// The one that AppendFall finds.
Fall LeastFall(const MirrorHump& hump, long double rest) {
  const long double decay = hump.decay;
  if (decay == 0 || rest <= hump.end) return {rest, 1, Powers(decay, 1)};
  const long double low = rest * (1 - decay) + decay * decay * hump.end;
  long double size =
      std::max(1.0L, std::ceil(std::log(hump.end / low) / std::log(decay)));
  while (true) {
    const Powers powers(decay, ++size);
    const long double before = powers.power / (decay * decay);
    const long double peak = std::max(rest / powers.mass, hump.end / before);
    if (peak * before * decay <= hump.end) return {peak, size, powers};
  }
}

}  // namespace

MirrorDistribution::MirrorDistribution(std::uint64_t first,
                                       std::vector<Uint128> units)
    : first_(first), units_(std::move(units)), table_(Thresholds(units_)) {}

Result<MirrorDistribution> MirrorDistribution::Create(
    std::uint64_t first, const std::vector<long double>& weights) {
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
  return MirrorDistribution(first, std::move(units));
}

Uint128 MirrorDistribution::Units(std::uint64_t value) const {
  if (value < first_ || value > last()) return 0;
  return units_[value - first_];
}

long double MirrorDistribution::Probability(std::uint64_t value) const {
  return static_cast<long double>(Units(value)) * 0x1p-128L;
}

double MirrorDistribution::Mean() const {
  long double mean = 0;
  for (std::uint64_t value = first_; value <= last(); ++value) {
    mean += static_cast<long double>(value) * Probability(value);
  }
  return static_cast<double>(mean);
}

long double MirrorDistribution::MaxGrowth() const {
  long double growth = 0;
  for (std::uint64_t value = first_; value < last(); ++value) {
    growth = std::max(growth, Probability(value + 1) / Probability(value));
  }
  return growth * (1 + 0x1p-60L);
}

std::vector<long double> HumpWeights(const MirrorHump& hump) {
  std::vector<long double> weights = {hump.start};
  Rise rise = Start(hump);
  if (!Climb(hump, rise, [&](long double p) { weights.push_back(p); })) {
    return {};
  }
  AppendFall(hump, rise.rest, Limit(rise, hump), weights);
  return weights;
}

double HumpMean(const MirrorHump& hump) {
  constexpr double kNone = std::numeric_limits<double>::infinity();
  if (hump.decay > 1 - 1e-9L) return kNone;  // It would hardly ever end.
  Rise rise = StartHigh(hump);
  if (!Climb(hump, rise, [](long double) {})) return kNone;
  const Fall fall = LeastFall(hump, rise.rest);
  const auto risen = static_cast<long double>(rise.size);
  if (risen + fall.size > MirrorDistribution::kMaxSize) return kNone;
  const long double mass = 1 - rise.rest + fall.peak * fall.powers.mass;
  const long double moment =
      rise.moment + fall.peak * (risen * fall.powers.mass + fall.powers.moment);
  return static_cast<double>(moment / mass);
}

double ExpDown(double x) { return StepDown(StepDown(std::exp(x))); }

}  // namespace sotto
