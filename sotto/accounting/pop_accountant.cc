#include "sotto/accounting/pop_accountant.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "sotto/accounting/monotone_search.h"
#include "sotto/accounting/renyi.h"
#include "sotto/accounting/rounding.h"
#include "sotto/accounting/stopped_process_exact.h"

namespace sotto {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kLibm = 0x1p-50;  // as in stopped_process.cc
constexpr double kMinStopper = 0x1p-20;
constexpr double kMaxStopper = 64;
constexpr std::int64_t kMaxRounds = std::int64_t{1} << 20;
constexpr std::int64_t kMaxLate = std::int64_t{1} << 32;
constexpr double kMaxEpsilon = 1000;
constexpr double kMinRate = 0x1p-30;
constexpr double kMaxRate = 64;
constexpr double kTolerance = 1e-4;
constexpr double kExactTolerance = 1e-3;
// The exact sums stop where what is left adds this share to the answer.
constexpr double kTailShare = 1e-4;

StoppedProcess Band(const PopProcess& pop, std::int64_t targets) {
  return {.rate = pop.rate, .targets = targets, .gap = pop.gap};
}

double HiddenBits(const PopProcess& pop) {
  return UpMul(pop.stopper, static_cast<double>(pop.rounds_per_user));
}

// Pr[rho > late] = exp(-stopper (late + 1)).
double LateProbability(const PopProcess& pop, std::int64_t late) {
  const double exponent = DownMul(pop.stopper, static_cast<double>(late) + 1);
  return InflateUp(std::exp(-exponent), kLibm);
}

double FormA(const PopProcess& pop, double epsilon, std::int64_t late) {
  const auto band = StoppedProcessCurve(Band(pop, pop.targets + late));
  if (!band) return 1;
  const RenyiCurve curve = band->ComposedWith(PureCurve(HiddenBits(pop)));
  return std::min(
      1.0, UpAdd(LateProbability(pop, late), DeltaFromRenyi(curve, epsilon)));
}

// For one order the best lambda has a closed form; this scans the orders in
// plain arithmetic. Any lambda is valid, so only tightness depends on it.
std::int64_t GuessLate(const PopProcess& pop, double epsilon) {
  constexpr int kOrders = 256;
  const StoppedProcess band = Band(pop, 1);
  const RenyiCurve bits = PureCurve(HiddenBits(pop));
  const double span = StoppedProcessMaxOrder(band) - 1;
  double best = kInfinity;
  double late = 0;
  for (int i = 1; i < kOrders; ++i) {
    const double part = static_cast<double>(i) / kOrders;
    const double gap = span * part * part;
    const double log_factor = LogTargetFactor(band, 1 + gap);
    if (!std::isfinite(log_factor)) break;
    const double log_base = static_cast<double>(pop.targets) * log_factor +
                            bits.LogMomentAt(1 + gap) - gap * epsilon -
                            gap * std::log1p(1 / gap) - std::log1p(gap);
    const double at = std::clamp(
        (std::log(pop.stopper / log_factor) - log_base - pop.stopper) /
            (pop.stopper + log_factor),
        0.0, static_cast<double>(kMaxLate));
    const double value = std::exp(-pop.stopper * (at + 1)) +
                         std::exp(std::min(log_base + at * log_factor, 700.0));
    if (value < best) {
      best = value;
      late = at;
    }
  }
  return std::llround(late);
}

// Descends from the guess by steps that shrink.
void MinimizeFormA(const PopProcess& pop, double epsilon, PopCost& cost) {
  cost.late = GuessLate(pop, epsilon);
  cost.form_a = FormA(pop, epsilon, cost.late);
  auto step = std::max<std::int64_t>(1, std::llround(0.5 / pop.stopper));
  for (; step >= 1; step /= 2) {
    for (const std::int64_t late : {cost.late - step, cost.late + step}) {
      if (late < 0 || late > kMaxLate) continue;
      const double delta = FormA(pop, epsilon, late);
      if (delta < cost.form_a) {
        cost.form_a = delta;
        cost.late = late;
      }
    }
  }
}

// Step 4: r ln R + (order-1) e_s + ln[(1 - e^-e_s) / (1 - R e^-e_s)].
RenyiCurve FormBCurve(const PopProcess& pop) {
  const StoppedProcess band = Band(pop, pop.targets);
  const double stop = InflateUp(-std::expm1(-pop.stopper), kLibm);
  return RenyiCurve(
      [pop, band, stop](double order) {
        const double log_factor = LogTargetFactor(band, order);
        const double left = UpAdd(log_factor, -pop.stopper);
        if (!(left < 0)) return kInfinity;
        const double rest = -InflateUp(std::expm1(left), kLibm);
        if (!(rest > 0)) return kInfinity;
        const double average = InflateUp(std::log(UpDiv(stop, rest)), kLibm);
        const double bit = UpMul(UpAdd(order, -1), pop.stopper);
        const double paid = UpMul(static_cast<double>(pop.targets), log_factor);
        return UpAdd(UpAdd(paid, bit), average);
      },
      StoppedProcessMaxOrder(band, -std::expm1(-pop.stopper)));
}

Status CheckEpsilon(double epsilon) {
  if (epsilon >= 0 && epsilon <= kMaxEpsilon) return Ok();
  return InvalidArgument("epsilon must be in [0, 1000]");
}

Status ValidateAt(const PopProcess& process, double epsilon) {
  SOTTO_TRY(CheckEpsilon(epsilon));
  return Validate(process);
}

// The certified curve of the band at epsilon -+ the hidden bits, by the number
// of targets.
struct BandCurves {
  std::vector<double> near;
  std::vector<double> far;
};

Result<BandCurves> SolveBand(const PopProcess& pop, double epsilon,
                             std::int64_t most_late) {
  const StoppedProcess band = Band(pop, pop.targets + most_late);
  const double bits = HiddenBits(pop);
  SOTTO_TRY_ASSIGN(auto near,
                   ExactStoppedDeltas(band, DownAdd(epsilon, -bits)));
  SOTTO_TRY_ASSIGN(auto far, ExactStoppedDeltas(band, DownAdd(epsilon, bits)));
  return BandCurves{std::move(near), std::move(far)};
}

// Step 5.
void ExactFormA(const PopProcess& pop, const BandCurves& band, PopCost& cost) {
  const double odds = std::exp(-HiddenBits(pop));
  const double likely = InflateUp(1 / (1 + odds), kLibm);
  const double unlikely = InflateUp(odds / (1 + odds), kLibm);
  const auto targets = static_cast<std::size_t>(pop.targets);
  cost.form_a = 1;
  for (std::size_t j = targets; j < band.near.size(); ++j) {
    const auto late = static_cast<std::int64_t>(j - targets);
    const double mixed =
        UpAdd(UpMul(likely, band.near[j]), UpMul(unlikely, band.far[j]));
    const double delta = UpAdd(LateProbability(pop, late), mixed);
    if (delta < cost.form_a) {
      cost.form_a = delta;
      cost.late = late;
    }
  }
}

// Step 6. Mass beyond the last level counts in full.
double ExactFormB(const PopProcess& pop, const BandCurves& band) {
  const double stop = InflateUp(-std::expm1(-pop.stopper), kLibm);
  const auto targets = static_cast<std::size_t>(pop.targets);
  double sum = 0;
  std::int64_t late = 0;
  for (std::size_t j = targets; j < band.near.size(); ++j, ++late) {
    const double weight = UpMul(stop, LateProbability(pop, late - 1));
    sum = UpAdd(sum, UpMul(weight, band.near[j]));
  }
  return std::min(1.0, UpAdd(sum, LateProbability(pop, late - 1)));
}

PopProcess AtRate(const PopTarget& target, double rate) {
  return {.rate = rate,
          .gap = std::max<std::int64_t>(
              1, std::llround(target.gap_in_scales / rate)),
          .targets = target.targets,
          .stopper = target.stopper,
          .rounds_per_user = target.rounds_per_user};
}

StoppedProcess Tests(const CounterPopProcess& pop) {
  return {.rate = pop.rate, .targets = pop.targets + pop.late};
}

// Largest rate that meets, between one that does and one that need not.
template <typename Meets>
double LargestRate(double low, double high, const Meets& meets) {
  while (high > low * (1 + kTolerance)) {
    const double middle = std::sqrt(low * high);
    (meets(middle) ? low : high) = middle;
  }
  return low;
}

}  // namespace

Status Validate(const PopProcess& process) {
  if (process.gap < 1) return InvalidArgument("the gap must be at least 1");
  if (!(process.stopper >= kMinStopper && process.stopper <= kMaxStopper)) {
    return InvalidArgument("the Stopper's epsilon must be in [2^-20, 64]");
  }
  if (process.rounds_per_user < 1 || process.rounds_per_user > kMaxRounds) {
    return InvalidArgument("rounds per user must be in [1, 2^20]");
  }
  return Validate(Band(process, process.targets));
}

Result<PopCost> PopDelta(const PopProcess& process, double epsilon) {
  SOTTO_TRY(ValidateAt(process, epsilon));
  PopCost cost;
  MinimizeFormA(process, epsilon, cost);
  // Form B has a proof for one hidden bit only (step 7).
  if (process.rounds_per_user == 1) {
    cost.form_b = DeltaFromRenyi(FormBCurve(process), epsilon);
  }
  cost.delta = std::min(cost.form_a, cost.form_b);
  return cost;
}

Result<PopCost> ExactPopDelta(const PopProcess& process, double epsilon) {
  SOTTO_TRY_ASSIGN(const auto moments, PopDelta(process, epsilon));
  const double tail = std::max(kTailShare * moments.delta, 1e-300);
  const auto most_late =
      static_cast<std::int64_t>(std::ceil(-std::log(tail) / process.stopper));
  SOTTO_TRY_ASSIGN(const auto band, SolveBand(process, epsilon, most_late));
  PopCost cost;
  ExactFormA(process, band, cost);
  if (process.rounds_per_user == 1) cost.form_b = ExactFormB(process, band);
  cost.delta = std::min({cost.form_a, cost.form_b, moments.delta});
  return cost;
}

Result<double> PopEpsilon(const PopProcess& process, double delta) {
  SOTTO_TRY(Validate(process));
  if (!(delta > 0 && delta < 1)) {
    return InvalidArgument("delta must be in (0, 1)");
  }
  const auto meets = [&](double epsilon) {
    const auto cost = PopDelta(process, epsilon);
    return cost.has_value() && cost->delta <= delta;
  };
  if (meets(0)) return 0.0;
  double low = 0;
  double high = 0x1p-10;
  while (!meets(high)) {
    low = high;
    high *= 2;
    if (high > kMaxEpsilon) {
      return NotConverged("no epsilon up to 1000 holds with this delta");
    }
  }
  while (high - low > kTolerance * high) {
    const double middle = low + (high - low) / 2;
    (meets(middle) ? high : low) = middle;
  }
  return high;
}

Result<double> ExactPopEpsilon(const PopProcess& process, double delta) {
  SOTTO_TRY_ASSIGN(const auto moments, PopEpsilon(process, delta));
  if (moments == 0) return 0.0;
  const double low = -std::log(moments);
  const auto found = LargestMeeting(
      {.low = low,
       .high = low + 40,
       .goal = 0,
       .slope = 2 - 2 * std::log(delta),
       .tolerance = kExactTolerance},
      [&](double x) -> Result<double> {
        SOTTO_TRY_ASSIGN(const auto cost, ExactPopDelta(process, std::exp(-x)));
        return LogRatio(cost.delta, delta);
      });
  if (!found) return found.error();
  return *found == low ? moments : std::exp(-*found);
}

Result<PopProcess> PopLeastNoise(const PopTarget& target) {
  const StoppedProcessTarget band{.epsilon = target.epsilon,
                                  .delta = target.delta,
                                  .targets = target.targets,
                                  .gap_in_scales = target.gap_in_scales};
  SOTTO_TRY(Validate(band));
  SOTTO_TRY(Validate(AtRate(target, kMaxRate)));
  const auto meets = [&target](double rate) {
    const auto cost = PopDelta(AtRate(target, rate), target.epsilon);
    return cost.has_value() && cost->delta <= target.delta;
  };
  const double low = kMinRate;
  if (!meets(low)) {
    return NotConverged(
        "no noise scale up to 2^30 meets the target; lower the "
        "Stopper's share");
  }
  // POP costs more than its band alone, so its rate is smaller.
  const auto ceiling = LeastNoise(band);
  const double high = ceiling ? ceiling->rate * 1.01 : kMaxRate;
  return AtRate(target, LargestRate(low, high, meets));
}

Result<PopProcess> ExactPopLeastNoise(const PopTarget& target) {
  SOTTO_TRY_ASSIGN(const auto moments, PopLeastNoise(target));
  const double low = std::log(moments.rate);
  const auto rate = LargestMeeting(
      {.low = low,
       .high = std::log(kMaxRate),
       .goal = 0,
       .slope = 2 - 2 * std::log(target.delta),
       .tolerance = kExactTolerance},
      [&target](double log_rate) -> Result<double> {
        SOTTO_TRY_ASSIGN(
            const auto cost,
            ExactPopDelta(AtRate(target, std::exp(log_rate)), target.epsilon));
        return LogRatio(cost.delta, target.delta);
      });
  if (!rate) return rate.error();
  return *rate == low ? moments : AtRate(target, std::exp(*rate));
}

Status Validate(const CounterPopProcess& process) {
  if (!(process.counter >= kMinStopper && process.counter <= kMaxStopper)) {
    return InvalidArgument("the counter's epsilon must be in [2^-20, 64]");
  }
  if (process.late < 0 || process.late > kMaxLate) {
    return InvalidArgument("the counter's error must be in [0, 2^32]");
  }
  if (!(process.failure >= 0 && process.failure < 1)) {
    return InvalidArgument("the counter's failure must be in [0, 1)");
  }
  if (process.targets < 1) {
    return InvalidArgument("the reports must be at least 1");
  }
  return Validate(Tests(process));
}

// Step 10.
Result<double> CounterPopDelta(const CounterPopProcess& process,
                               double epsilon) {
  SOTTO_TRY(CheckEpsilon(epsilon));
  SOTTO_TRY(Validate(process));
  SOTTO_TRY_ASSIGN(const auto tests, StoppedProcessCurve(Tests(process)));
  const RenyiCurve curve = tests.ComposedWith(PureCurve(process.counter));
  return std::min(1.0, UpAdd(process.failure, DeltaFromRenyi(curve, epsilon)));
}

Result<CounterPopProcess> CounterPopLeastNoise(const CounterPopProcess& process,
                                               double epsilon, double delta) {
  CounterPopProcess found = process;
  const auto meets = [&](double rate) {
    found.rate = rate;
    const auto cost = CounterPopDelta(found, epsilon);
    return cost && *cost <= delta;
  };
  found.rate = kMinRate;
  SOTTO_TRY(Validate(found));
  if (!meets(kMinRate)) {
    return NotConverged(
        "no noise scale up to 2^30 meets the target; lower the counter's "
        "share");
  }
  found.rate = LargestRate(kMinRate, kMaxRate, meets);
  return found;
}

}  // namespace sotto
