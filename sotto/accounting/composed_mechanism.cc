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
constexpr double kMaxBracketSteps = 300;
// The search looks with a coarse lattice first, then closely around the answer.
constexpr double kCoarseTolerance = 1e-3;
constexpr double kFineTolerance = 1e-7;

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

Status Check(const ComposedMechanism& mechanism) {
  const bool pure = mechanism.kind == NoiseKind::kPure;
  const double least = pure ? 1 / kMaxScale : kMinScale;
  const double most = pure ? 1 / kMinScale : kMaxScale;
  if (!(mechanism.parameter >= least) || !(mechanism.parameter <= most)) {
    return InvalidArgument(pure ? "epsilon of each must be in [1e-15, 1e9]"
                                : "the noise scale must be in [1e-9, 1e15]");
  }
  if (mechanism.compositions < 1 || mechanism.compositions > kMaxCompositions) {
    return InvalidArgument("compositions must be in [1, 1e12]");
  }
  return Ok();
}

Result<std::vector<LossTerm>> TermsOf(const ComposedMechanism& mechanism) {
  auto loss = mechanism.kind == NoiseKind::kLaplace
                  ? PrivacyLoss::Laplace(mechanism.parameter)
                  : PrivacyLoss::DiscreteGaussian(mechanism.parameter);
  if (!loss) return loss.error();
  return std::vector<LossTerm>{{std::move(*loss), mechanism.compositions}};
}

Result<double> DeltaWith(const ComposedMechanism& mechanism, double epsilon,
                         const TightOptions& options) {
  if (Status ok = Check(mechanism); !ok) return ok.error();
  if (mechanism.kind == NoiseKind::kGaussian) {
    return GaussianDelta(
        {.sigma = mechanism.parameter, .compositions = mechanism.compositions},
        epsilon);
  }
  if (IsBinomial(mechanism.kind)) {
    return BinomialDelta(std::min(EpsilonEach(mechanism), 1 / kMinScale),
                         mechanism.compositions, epsilon);
  }
  const auto terms = TermsOf(mechanism);
  if (!terms) return terms.error();
  return TightDelta(*terms, epsilon, options);
}

// One search for the parameter, around `guess`.
class Calibration {
 public:
  Calibration(ComposedMechanism mechanism, double epsilon, double delta)
      : mechanism_(mechanism), epsilon_(epsilon), delta_(delta) {}

  Result<double> Near(double guess, double step, double tolerance) {
    options_.tolerance = std::clamp(tolerance, 5e-5, 1e-3);
    const auto excess = [this](double x) { return Excess(x); };
    // Towards safety, noise grows and an epsilon falls.
    const double safer = mechanism_.kind == NoiseKind::kPure ? 1 / step : step;
    RootEnd safe{guess, 0};
    RootEnd unsafe{guess, 0};
    const Result<double> first = excess(guess);
    if (!first) return first.error();
    const bool start_safe = *first <= 0;
    (start_safe ? safe : unsafe) = RootEnd{guess, *first};
    double factor = start_safe ? 1 / safer : safer;
    for (int i = 0; i < kMaxBracketSteps; ++i) {
      const double x = (start_safe ? safe.x : unsafe.x) * factor;
      if (!InRange(x)) {
        if (start_safe) return safe.x;
        break;
      }
      const Result<double> value = excess(x);
      if (!value) return value.error();
      const bool is_safe = *value <= 0;
      (is_safe ? safe : unsafe) = RootEnd{x, *value};
      if (is_safe != start_safe) {
        return SafeRoot(excess, unsafe, safe, tolerance);
      }
      factor *= factor;
    }
    return Error{ErrorCode::kNotConverged, "no noise in range reaches this"};
  }

 private:
  static bool InRange(double x) { return x >= kMinScale && x <= kMaxScale; }

  Result<double> Excess(double parameter) const {
    ComposedMechanism mechanism = mechanism_;
    mechanism.parameter = parameter;
    const Result<double> delta = DeltaWith(mechanism, epsilon_, options_);
    if (!delta) return delta.error();
    // The comparison itself must not err: logarithms only guide the search.
    const double excess = std::log(*delta) - std::log(delta_);
    return *delta <= delta_ ? std::min(excess, 0.0) : std::max(excess, 1e-13);
  }

  ComposedMechanism mechanism_;
  double epsilon_;
  double delta_;
  TightOptions options_;
};

}  // namespace

std::string_view MethodOf(NoiseKind kind) {
  if (kind == NoiseKind::kGaussian) return "analytic gaussian";
  return IsBinomial(kind) ? "exact binomial" : "privacy loss distribution";
}

Result<double> DeltaFor(const ComposedMechanism& mechanism, double epsilon) {
  return DeltaWith(mechanism, epsilon, {});
}

Result<double> EpsilonFor(const ComposedMechanism& mechanism, double delta) {
  if (Status ok = Check(mechanism); !ok) return ok.error();
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
    return BinomialEpsilon(std::min(EpsilonEach(mechanism), 1 / kMinScale),
                           mechanism.compositions, delta);
  }
  const auto terms = TermsOf(mechanism);
  if (!terms) return terms.error();
  return TightEpsilon(*terms, delta);
}

Result<double> ParameterFor(NoiseKind kind, std::uint64_t compositions,
                            double epsilon, double delta) {
  if (kind == NoiseKind::kGaussian) {
    return GaussianSigma(epsilon, delta, compositions);
  }
  if (Status ok = Check({kind, 1, compositions}); !ok) return ok.error();
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
  // Many small losses look Gaussian: a guess, no more.
  const Result<double> sigma = GaussianSigma(epsilon, delta, compositions);
  const double scale = sigma ? std::max(*sigma, 1e-6) : 1.0;
  Calibration search({kind, 1, compositions}, epsilon, delta);
  const Result<double> coarse =
      search.Near(pure ? 1 / scale : scale, 1.3, kCoarseTolerance);
  if (!coarse) return coarse;
  return search.Near(*coarse, 1 + kCoarseTolerance, kFineTolerance);
}

}  // namespace sotto
