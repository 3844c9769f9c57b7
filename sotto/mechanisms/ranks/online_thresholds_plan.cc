#include "sotto/mechanisms/ranks/online_thresholds_plan.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "sotto/accounting/renyi.h"
#include "sotto/accounting/rounding.h"
#include "sotto/accounting/stopped_process.h"
#include "sotto/mechanisms/thresholds/sparse_vector_calibration.h"
#include "sotto/random/fixed_work_gaussian.h"
#include "sotto/random/fixed_work_laplace.h"

namespace sotto {
namespace {

// Ratios to the scale of the tests' noise, chosen by simulation
// (online_thresholds.md, Constants); privacy holds for any.
constexpr double kBandInScales = 2;
constexpr double kDeviationInScales = 0.5;
constexpr double kWidthInScales = 9;

constexpr double kMinScale = 0.5;
constexpr double kMaxScale = 0x1p25;
constexpr std::int64_t kNominalTests = 9;  // fixes the order

OnlineThresholdsPlan PlanAtScale(double scale, std::int64_t tests) {
  OnlineThresholdsPlan plan;
  plan.rate = 1 / scale;
  plan.band = std::max<std::int64_t>(1, std::llround(kBandInScales * scale));
  const double deviation = kDeviationInScales * scale;
  plan.value_variance = static_cast<std::int64_t>(
      std::ceil(std::max(1.0, deviation * deviation)));
  plan.tests = tests;
  plan.values = tests + 1;
  plan.width = static_cast<std::int64_t>(std::ceil(kWidthInScales * scale));
  plan.max_parts =
      std::min(std::int64_t{1} << std::min<std::int64_t>(tests + 2, 60),
               OnlineThresholdsBudget::kMaxParts);
  return plan;
}

// a (a - 1) / (2 variance), rounded up.
double GaussianLogMoment(std::int64_t variance, double order) {
  return UpDiv(UpMul(order, UpAdd(order, -1)),
               2 * static_cast<double>(variance));
}

// The least scale, to within 1e-4, at which `fits`; 0 if there is none.
template <typename Fits>
double LeastScale(const Fits& fits) {
  double low = kMinScale;
  double high = kMaxScale;
  if (!fits(high)) return 0;
  while (high > low * (1 + 1e-4)) {
    const double middle = std::sqrt(low * high);
    (fits(middle) ? high : low) = middle;
  }
  return high;
}

// Slack for the samplers' distance from the exact distributions: at most
// kMaxParts' logarithm times votes * 2 draws a query, and a value (step 4).
double SamplerDelta(double epsilon, std::uint64_t horizon) {
  constexpr double kDrawsPerQuery = 42 * 5;
  const double queries = static_cast<double>(horizon) + 1;
  const double tests =
      std::ldexp(kDrawsPerQuery, -FixedWorkLaplace::TotalVariationLog2());
  const double values =
      std::ldexp(1.0, -FixedWorkGaussian::TotalVariationLog2());
  const double both = InflateUp(1 + std::exp(epsilon), 0x1p-50);
  return UpMul(both, UpMul(queries, UpAdd(tests, values)));
}

// t with exp(-t^2 / (2 variance)) <= exp(-log_odds), rounded up.
std::int64_t SubgaussianTail(double variance, double log_odds) {
  const double tail = std::sqrt(2 * variance * log_odds);
  return static_cast<std::int64_t>(std::ceil(tail * (1 + 1e-9)));
}

double LogBinomial(double n, double k) {
  return std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1);
}

}  // namespace

double OnlineThresholdsLogMoment(const OnlineThresholdsPlan& plan,
                                 std::int64_t tests, std::int64_t values,
                                 double order) {
  const double test = LogTargetFactor(
      {.rate = plan.rate, .targets = 1, .gap = plan.band}, order);
  const double value = GaussianLogMoment(plan.value_variance, order);
  return UpAdd(UpMul(static_cast<double>(tests), test),
               UpMul(static_cast<double>(values), value));
}

int OnlineThresholdsPlan::SearchDepth() const {
  return static_cast<int>(
      std::bit_width(static_cast<std::uint64_t>(max_parts - 1)));
}

std::int64_t OnlineThresholdsPlan::DecisionError(double decisions,
                                                 double failure) const {
  const double sets = std::exp(LogBinomial(2.0 * votes - 1, votes));
  const double tail = std::log(sets * decisions / failure) / votes;
  const std::int64_t half_band = band / 2;
  const double error = tail / rate - static_cast<double>(half_band);
  return static_cast<std::int64_t>(std::ceil(std::max(0.0, error) + 1e-6));
}

std::int64_t OnlineThresholdsPlan::SizeError(double failure) const {
  return SubgaussianTail(static_cast<double>(size_variance),
                         std::log(4 / failure));
}

std::int64_t OnlineThresholdsPlan::ValueError(std::int64_t index,
                                              std::int64_t depth,
                                              double failure) const {
  if (depth == 0) return 0;
  const auto i = static_cast<double>(index);
  const auto d = static_cast<double>(depth);
  const double log_sets = LogBinomial(i - 2, d - 1);
  const double log_share = std::log(2 * i * (i + 1) * d * (d + 1) / failure);
  return SubgaussianTail(d * static_cast<double>(value_variance),
                         log_sets + log_share);
}

Result<OnlineThresholdsBudget> OnlineThresholdsBudget::Create(
    const Params& params) {
  if (!(params.epsilon >= 0x1p-10 && params.epsilon <= 16)) {
    return InvalidArgument("epsilon must be in [2^-10, 16]");
  }
  if (!(params.delta > 0 && params.delta <= 0.5)) {
    return InvalidArgument("delta must be in (0, 1/2]");
  }
  if (params.horizon == 0 || params.horizon > kMaxHorizon) {
    return InvalidArgument("the horizon must be in [1, 2^40]");
  }
  // A little less than is there: the way back (Delta) rounds up.
  const double delta = DownMul(
      DownAdd(params.delta, -SamplerDelta(params.epsilon, params.horizon)),
      1 - 1e-9);
  OnlineThresholdsBudget best;
  double best_scale = std::numeric_limits<double>::infinity();
  for (double above = 0x1p-6; delta > 0 && above < 0x1p14; above *= 1.05) {
    OnlineThresholdsBudget one;
    one.params_ = params;
    one.order_ = 1 + above;
    one.log_moment_ = LogMomentBudget(one.order_, params.epsilon, delta);
    const double scale = LeastScale([&](double candidate) {
      const auto plan = PlanAtScale(candidate, kNominalTests);
      return OnlineThresholdsLogMoment(plan, plan.tests, plan.values,
                                       one.order_) <= one.log_moment_;
    });
    if (scale == 0 || scale >= best_scale) continue;
    best_scale = scale;
    best = one;
    best.size_variance_ = PlanAtScale(scale, kNominalTests).value_variance;
  }
  if (best.order_ == 0) {
    return NotConverged("no noise of scale up to 2^25 meets epsilon and delta");
  }
  return best;
}

double OnlineThresholdsBudget::Spent(const OnlineThresholdsPlan& plan) const {
  return UpAdd(
      GaussianLogMoment(size_variance_, order_),
      OnlineThresholdsLogMoment(plan, plan.tests, plan.values - 1, order_));
}

double OnlineThresholdsBudget::Delta(const OnlineThresholdsPlan& plan) const {
  const double moment = std::max(log_moment_, Spent(plan));
  return UpAdd(DeltaAtOrder(order_, moment, params_.epsilon),
               SamplerDelta(params_.epsilon, params_.horizon));
}

Result<OnlineThresholdsPlan> OnlineThresholdsBudget::LeastNoise(
    std::int64_t tests) const {
  const auto snapped = [&](double scale) {
    OnlineThresholdsPlan plan = PlanAtScale(scale, tests);
    const auto rate = SnapRate(plan.rate);
    plan.rate = rate ? *rate : 0;
    plan.size_variance = size_variance_;
    return plan;
  };
  const double scale = LeastScale([&](double candidate) {
    const auto plan = snapped(candidate);
    return plan.rate > 0 && Spent(plan) <= log_moment_;
  });
  if (scale == 0) {
    return NotConverged(
        "no noise of scale up to 2^25 is enough for this many points");
  }
  return snapped(scale);
}

// A gap of width * 2^tests can be halved down to `width`.
Result<OnlineThresholdsPlan> OnlineThresholdsBudget::PlanFor(
    std::int64_t size) const {
  for (std::int64_t tests = 1;; ++tests) {
    auto plan = LeastNoise(tests);
    if (!plan || tests == kMaxTests) return plan;
    if (std::ldexp(static_cast<double>(plan->width), static_cast<int>(tests)) >=
        static_cast<double>(size)) {
      return plan;
    }
  }
}

}  // namespace sotto
