#include "sotto/models/winnow/winnow_noise.h"

#include <algorithm>
#include <cmath>

#include "sotto/accounting/gaussian_analytic.h"
#include "sotto/accounting/rounding.h"
#include "sotto/base/number_text.h"
#include "sotto/mechanisms/thresholds/sparse_vector_limits.h"
#include "sotto/random/fixed_work_gaussian.h"

namespace sotto {
namespace {

constexpr int kMaxScaleBits = 16;
constexpr double kMaxVariance = 0x1p60;
// Under add-remove the Stopper and the noise are paid together; this much more
// noise than the least leaves half of epsilon to the Stopper.
constexpr double kAddRemoveNoise = 1.2;
// Below, noise in units would be too coarse to pass for a rounded normal.
constexpr double kLeastUnits = 64;
constexpr double kLibmError = 1e-12;
// Two examples are at most two lengths apart.
constexpr double kReplaceReach = 2;
// Fraction of delta for the samplers' slack.
constexpr double kSetAside = 0x1p-10;
// Fraction of delta for coordinates that pass the threshold in only one of two
// neighbouring streams.
constexpr double kThresholdShare = 0.1;

Status Validate(const WinnowPrivacy& p) {
  if (!(p.epsilon >= 0x1p-10 && p.epsilon <= 16)) {
    return InvalidArgument(
        "winnow needs an --epsilon between 2^-10 (about 0.00098) and 16, "
        "without "
        "the tenth that --public takes; got " +
        Shortest(p.epsilon));
  }
  if (!(p.delta >= 1e-12 && p.delta <= 0.5)) {
    return InvalidArgument(
        "winnow needs a --delta from 1e-12 to 1/2; --public takes a part of "
        "it");
  }
  if (p.relation == Relation::kChangeByOne) {
    return InvalidArgument("winnow knows the relations replace and add-remove");
  }
  if (p.coordinates < 1 || p.coordinates > (1U << 24)) {
    return InvalidArgument("winnow takes 1 to 2^24 features");
  }
  if (!(p.max_norm >= 0x1p-10 && p.max_norm <= 0x1p12)) {
    return InvalidArgument("the norm of an example must be in [2^-10, 2^12]");
  }
  if (p.nonzeros > p.coordinates) {
    return InvalidArgument(
        "an example cannot have more non-zeros than features");
  }
  if (!(p.resolution >= 0x1p-16 && p.resolution <= 1)) {
    return InvalidArgument("the resolution must be in [2^-16, 1]");
  }
  return Ok();
}

// Step 5: what the samplers of one batch lack, both worlds.
double Slack(double epsilon, const Rational& variance, std::uint32_t draws) {
  const double each =
      UpAdd(std::ldexp(1.0, -FixedWorkGaussian::TotalVariationLog2()),
            FixedWorkGaussian::RoundedNormalDistance(variance));
  const double both = InflateUp(1 + std::exp(epsilon), kLibmError);
  return UpAdd(UpMul(both, UpMul(each, draws)), SamplerSlack(epsilon));
}

// The deviation of the normal variable that the discrete one stands for.
double NormalDeviationDown(const Rational& variance) {
  return StepDown(std::sqrt(DownAdd(variance.ToDoubleDown(), -0x1.5555556p-4)));
}

// Step 4, the case of an example that is counted in one world only.
Result<double> CountedDelta(double epsilon, double sigma,
                            double stopper_epsilon) {
  const GaussianComposition noise{.sigma = StepDown(sigma), .compositions = 1};
  SOTTO_TRY_ASSIGN(const auto likely,
                   GaussianDelta(noise, StepDown(epsilon - stopper_epsilon)));
  SOTTO_TRY_ASSIGN(const auto unlikely,
                   GaussianDelta(noise, StepDown(epsilon + stopper_epsilon)));
  const double q = 1 / (1 + std::exp(-stopper_epsilon));
  return UpAdd(UpMul(InflateUp(q, kLibmError), likely),
               UpMul(InflateUp(1 - q, 1e-9), unlikely));
}

// The largest, to a few thousandths of a per cent of epsilon; the case of the
// replaced example does not depend on it.
Result<double> StopperEpsilon(double epsilon, double delta, double sigma) {
  double low = 0;
  double high = epsilon;
  for (int i = 0; i < 14; ++i) {
    const double middle = (low + high) / 2;
    SOTTO_TRY_ASSIGN(const auto spent, CountedDelta(epsilon, sigma, middle));
    (spent <= delta ? low : high) = middle;
  }
  return low;
}

int LeastScaleBits(double resolution, double sigma) {
  const double need = std::max(1 / resolution, kLeastUnits / sigma);
  return std::clamp(static_cast<int>(std::ceil(std::log2(need))), 0,
                    kMaxScaleBits);
}

// Noise in units: `per_length` deviations per length of an example.
Result<WinnowNoise> InUnits(const WinnowPrivacy& privacy, double per_length,
                            int bits) {
  const double units = std::ldexp(privacy.max_norm, bits);
  const auto norm_squared = std::max<std::uint64_t>(
      1, static_cast<std::uint64_t>(std::llround(units * units)));
  const double length = StepUp(std::sqrt(static_cast<double>(norm_squared)));
  const double deviation = UpMul(per_length, length);
  const double variance =
      std::ceil(InflateUp(deviation * deviation + 1.0 / 12, 1e-12));
  if (!(variance <= kMaxVariance)) {
    return NotConverged("no noise in 60 bits reaches this epsilon and delta");
  }
  SOTTO_TRY_ASSIGN(const auto exact,
                   Rational::Create(static_cast<std::uint64_t>(variance), 1));
  WinnowNoise noise{
      .scale_bits = bits, .norm_squared = norm_squared, .variance = exact};
  noise.sigma = std::ldexp(std::sqrt(exact.ToDoubleUp()), -bits);
  return noise;
}

// Finer units until the samplers' slack fits into what is set aside for it.
Result<WinnowNoise> FineEnough(const WinnowPrivacy& privacy, double per_length,
                               double reserve) {
  const int first =
      LeastScaleBits(privacy.resolution, per_length * privacy.max_norm);
  for (int bits = first; bits <= kMaxScaleBits; ++bits) {
    auto noise = InUnits(privacy, per_length, bits);
    if (!noise) return noise;
    noise->delta = Slack(privacy.epsilon, noise->variance, privacy.coordinates);
    if (noise->delta <= reserve) return noise;
  }
  return NotConverged("delta is too small for what the samplers lack");
}

// Step 7: (1 + e^epsilon) s Pr[|Z| >= threshold], the sampler's distance from
// the rounded normal being in Slack.
double ThresholdDelta(const WinnowPrivacy& privacy, const Rational& variance,
                      double threshold) {
  const double deviation = std::sqrt(variance.ToDoubleUp());
  const double tail = InflateUp(
      std::erfc((threshold - 0.5) / deviation / std::sqrt(2.0)), 1e-9);
  const double both = InflateUp(1 + std::exp(privacy.epsilon), kLibmError);
  return UpMul(UpMul(both, privacy.nonzeros), tail);
}

std::int64_t LeastThreshold(const WinnowPrivacy& privacy,
                            const Rational& variance, double delta) {
  double low = 0;
  double high = std::sqrt(variance.ToDoubleUp()) * 30 + 2;
  while (high - low > 1) {
    const double middle = std::floor((low + high) / 2);
    (ThresholdDelta(privacy, variance, middle) <= delta ? high : low) = middle;
  }
  return static_cast<std::int64_t>(std::ceil(high));
}

}  // namespace

Result<double> WinnowDelta(double epsilon, double sigma, double stopper_epsilon,
                           Relation relation) {
  auto counted = CountedDelta(epsilon, sigma, stopper_epsilon);
  if (!counted || relation == Relation::kAddRemove) return counted;
  auto replaced =
      GaussianDelta({.sigma = StepDown(sigma / 2), .compositions = 1}, epsilon);
  if (!replaced) return replaced;
  return std::max(*counted, *replaced);
}

Result<WinnowNoise> CalibrateWinnowNoise(const WinnowPrivacy& privacy) {
  SOTTO_TRY(Validate(privacy));
  const bool replace = privacy.relation == Relation::kReplace;
  const double hidden = privacy.nonzeros > 0 ? kThresholdShare : 0;
  const double target = privacy.delta * (1 - kSetAside - hidden);
  SOTTO_TRY_ASSIGN(const auto least, GaussianSigma(privacy.epsilon, target, 1));
  auto noise = FineEnough(
      privacy, UpMul(least, replace ? kReplaceReach : kAddRemoveNoise),
      privacy.delta * kSetAside / 2);
  if (!noise) return noise;
  const double ratio =
      DownDiv(NormalDeviationDown(noise->variance),
              StepUp(std::sqrt(static_cast<double>(noise->norm_squared))));
  SOTTO_TRY_ASSIGN(const auto stopper,
                   StopperEpsilon(privacy.epsilon, target, ratio));
  noise->stopper_epsilon = stopper;
  SOTTO_TRY_ASSIGN(const auto spent, WinnowDelta(privacy.epsilon, ratio,
                                                 stopper, privacy.relation));
  noise->delta = UpAdd(spent, noise->delta);
  if (privacy.nonzeros > 0) {
    noise->threshold =
        LeastThreshold(privacy, noise->variance, privacy.delta * hidden);
    noise->delta = UpAdd(noise->delta,
                         ThresholdDelta(privacy, noise->variance,
                                        static_cast<double>(noise->threshold)));
  }
  if (!(noise->delta <= privacy.delta && stopper > 0)) {
    return NotConverged("no noise meets this epsilon and delta");
  }
  return noise;
}

}  // namespace sotto
