#include "sotto/accounting/composed_mechanism.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "sotto/accounting/binomial_composition.h"
#include "sotto/accounting/gaussian_analytic.h"
#include "sotto/accounting/rounding.h"
#include "sotto/accounting/safe_root.h"
#include "sotto/accounting/tight_composition.h"

namespace sotto {
namespace {

constexpr std::uint64_t kMaxCompositions = 1'000'000'000'000;
constexpr double kMinScale = 1e-9;
constexpr double kMaxScale = 1e15;
constexpr double kMinEpsilonEach = 1e-15;
constexpr double kMaxEpsilonEach = 1e9;
constexpr int kMaxBracketSteps = 60;
constexpr double kTolerance = 1e-6;  // of the parameter found

// The epsilon of one use of a pure mechanism, rounded up.
double EpsilonEach(const ComposedMechanism& mechanism) {
  return mechanism.kind == NoiseKind::kPure ? mechanism.parameter
                                            : UpDiv(1, mechanism.parameter);
}

bool IsPure(NoiseKind kind) {
  return kind != NoiseKind::kGaussian && kind != NoiseKind::kDiscreteGaussian;
}

bool IsBinomial(NoiseKind kind) {
  return kind == NoiseKind::kPure || kind == NoiseKind::kDiscreteLaplace;
}

// The parameter in range that is nearest to this one.
double IntoRange(NoiseKind kind, double parameter) {
  return kind == NoiseKind::kPure
             ? std::clamp(parameter, kMinEpsilonEach, kMaxEpsilonEach)
             : std::clamp(parameter, kMinScale, kMaxScale);
}

Status Check(const ComposedMechanism& mechanism) {
  if (!(IntoRange(mechanism.kind, mechanism.parameter) ==
        mechanism.parameter)) {
    return InvalidArgument(mechanism.kind == NoiseKind::kPure
                               ? "epsilon of each must be in [1e-15, 1e9]"
                               : "the noise scale must be in [1e-9, 1e15]");
  }
  if (mechanism.compositions < 1 || mechanism.compositions > kMaxCompositions) {
    return InvalidArgument("compositions must be in [1, 1e12]");
  }
  return Ok();
}

Result<std::vector<LossTerm>> MakeTerms(const ComposedMechanism& mechanism) {
  SOTTO_TRY_ASSIGN(auto loss,
                   mechanism.kind == NoiseKind::kLaplace
                       ? PrivacyLoss::Laplace(mechanism.parameter)
                       : PrivacyLoss::DiscreteGaussian(mechanism.parameter));
  return std::vector<LossTerm>{{std::move(loss), mechanism.compositions}};
}

// How fast ln(delta) falls with ln(noise), for a Gaussian. It only guides the
// search.
double GaussianSlope(double sigma, std::uint64_t compositions, double epsilon) {
  constexpr double kStep = 1.01;
  constexpr double kDefault = 10;
  const auto here = GaussianDelta({sigma, compositions}, epsilon);
  const auto there = GaussianDelta({sigma * kStep, compositions}, epsilon);
  if (!here || !there) return kDefault;
  const double slope = std::log(*here / *there) / std::log(kStep);
  return slope > 0.1 && std::isfinite(slope) ? slope : kDefault;
}

// The search for the parameter.
class Calibration {
 public:
  struct Params {
    ComposedMechanism mechanism;
    double epsilon;
    double delta;
    double slope;  // of -ln(delta) against ln(noise), roughly
  };
  explicit Calibration(const Params& params) : params_(params) {}

  // The safe end of a bracket of relative width kTolerance, searched around
  // `guess`.
  Result<double> Near(double guess) const {
    const auto excess = [this](double x) { return Excess(x); };
    SOTTO_TRY_ASSIGN(const double first, excess(guess));
    RootEnd last{guess, first};
    const bool start_safe = last.excess <= 0;
    double reach = kFirstReach;
    for (int i = 0; i < kMaxBracketSteps; ++i, reach *= 2) {
      const double step = StepPast(last.excess, reach);
      const double x =
          IntoRange(params_.mechanism.kind,
                    WithMoreNoise(last.x, start_safe ? -step : step));
      if (x == last.x && start_safe) return x;
      if (x == last.x) break;
      SOTTO_TRY_ASSIGN(const double value, excess(x));
      const RootEnd next{x, value};
      if ((next.excess <= 0) != start_safe) {
        return SafeRoot(excess, start_safe ? next : last,
                        start_safe ? last : next, kTolerance);
      }
      last = next;
    }
    return NotConverged("no noise in range reaches this");
  }

 private:
  static constexpr double kFirstReach = 0.3;

  // A step of ln(noise) that should just cross the root.
  double StepPast(double excess, double reach) const {
    if (!std::isfinite(excess)) return reach;
    const double step = 1.1 * std::abs(excess) / params_.slope;
    return std::min(step + kTolerance / 2, reach);
  }

  double WithMoreNoise(double parameter, double log_factor) const {
    const bool pure = params_.mechanism.kind == NoiseKind::kPure;
    return parameter * std::exp(pure ? -log_factor : log_factor);
  }

  Result<double> Excess(double parameter) const {
    ComposedMechanism mechanism = params_.mechanism;
    mechanism.parameter = parameter;
    SOTTO_TRY_ASSIGN(const double delta, DeltaFor(mechanism, params_.epsilon));
    // The comparison must be exact. Logarithms only guide the search.
    const double excess = std::log(delta) - std::log(params_.delta);
    return delta <= params_.delta ? std::min(excess, 0.0)
                                  : std::max(excess, 1e-13);
  }

  Params params_;
};

}  // namespace

std::string_view MethodName(NoiseKind kind) {
  if (kind == NoiseKind::kGaussian) return "analytic gaussian";
  return IsBinomial(kind) ? "exact binomial" : "privacy loss distribution";
}

Result<double> DeltaFor(const ComposedMechanism& mechanism, double epsilon) {
  SOTTO_TRY(Check(mechanism));
  if (mechanism.kind == NoiseKind::kGaussian) {
    return GaussianDelta(
        {.sigma = mechanism.parameter, .compositions = mechanism.compositions},
        epsilon);
  }
  if (IsBinomial(mechanism.kind)) {
    return BinomialDelta(EpsilonEach(mechanism), mechanism.compositions,
                         epsilon);
  }
  SOTTO_TRY_ASSIGN(const auto terms, MakeTerms(mechanism));
  return TightDelta(terms, epsilon);
}

Result<double> EpsilonFor(const ComposedMechanism& mechanism, double delta) {
  SOTTO_TRY(Check(mechanism));
  if (delta == 0 && IsPure(mechanism.kind)) {
    return UpMul(EpsilonEach(mechanism),
                 static_cast<double>(mechanism.compositions));
  }
  if (mechanism.kind == NoiseKind::kGaussian) {
    return GaussianEpsilon(
        {.sigma = mechanism.parameter, .compositions = mechanism.compositions},
        delta);
  }
  if (IsBinomial(mechanism.kind)) {
    return BinomialEpsilon(EpsilonEach(mechanism), mechanism.compositions,
                           delta);
  }
  SOTTO_TRY_ASSIGN(const auto terms, MakeTerms(mechanism));
  return TightEpsilon(terms, delta);
}

Result<double> ParameterFor(NoiseKind kind, std::uint64_t compositions,
                            double epsilon, double delta) {
  if (kind == NoiseKind::kGaussian) {
    return GaussianSigma(epsilon, delta, compositions);
  }
  SOTTO_TRY(Check({kind, 1, compositions}));
  if (!(epsilon >= 0) || !std::isfinite(epsilon)) {
    return InvalidArgument("epsilon must be finite and not negative");
  }
  const bool pure = kind == NoiseKind::kPure;
  const auto count = static_cast<double>(compositions);
  if (delta == 0 && IsPure(kind) && epsilon > 0) {
    return pure ? DownDiv(epsilon, count) : UpDiv(count, epsilon);
  }
  if (!(delta > 0) || !(delta < 1)) {
    return InvalidArgument("delta must be strictly between 0 and 1");
  }
  // Many small losses look Gaussian. The value only starts the search.
  const Result<double> sigma = GaussianSigma(epsilon, delta, compositions);
  const double scale = sigma ? std::max(*sigma, 1e-6) : 1.0;
  const Calibration search(
      {.mechanism = {kind, 1, compositions},
       .epsilon = epsilon,
       .delta = delta,
       .slope = GaussianSlope(scale, compositions, epsilon)});
  return search.Near(IntoRange(kind, pure ? 1 / scale : scale));
}

}  // namespace sotto
