#include "sotto/accounting/privacy_loss.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "sotto/accounting/rounding.h"

namespace sotto {
namespace {

constexpr double kUnit = 0x1p-53;
constexpr double kMinScale = 1e-9;
constexpr double kMaxScale = 1e15;
constexpr double kMinEpsilon = 1e-15;
constexpr double kMaxEpsilon = 1e9;
constexpr double kSumTolerance = 1e-9;
constexpr std::uint32_t kMaxSensitivity = 1U << 20;

Status CheckScale(double scale) {
  if (!(scale >= kMinScale) || !(scale <= kMaxScale)) {
    return InvalidArgument("the noise scale must be in [1e-9, 1e15]");
  }
  return Ok();
}

Status CheckEpsilon(double epsilon) {
  if (!(epsilon >= kMinEpsilon) || !(epsilon <= kMaxEpsilon)) {
    return InvalidArgument("epsilon must be in [1e-15, 1e9]");
  }
  return Ok();
}

Status CheckSensitivity(std::uint32_t sensitivity) {
  if (sensitivity < 1 || sensitivity > kMaxSensitivity) {
    return InvalidArgument("the sensitivity must be in [1, 2^20]");
  }
  return Ok();
}

bool IsDistribution(std::span<const double> p) {
  const bool in_range = std::all_of(p.begin(), p.end(), [](double x) {
    return x >= 0 && x <= 1 + kSumTolerance;
  });
  const double sum = std::accumulate(p.begin(), p.end(), 0.0);
  return in_range && std::abs(sum - 1) <= kSumTolerance;
}

}  // namespace

Result<PrivacyLoss> PrivacyLoss::Laplace(double scale) {
  SOTTO_TRY(CheckScale(scale));
  return PrivacyLoss(Shape::kLaplace, UpDiv(1, scale));
}

Result<PrivacyLoss> PrivacyLoss::Gaussian(double sigma) {
  SOTTO_TRY(CheckScale(sigma));
  return PrivacyLoss(Shape::kGaussian, UpDiv(1, sigma));
}

Result<PrivacyLoss> PrivacyLoss::DiscreteGaussian(double sigma,
                                                  std::uint32_t sensitivity) {
  SOTTO_TRY(CheckScale(sigma));
  SOTTO_TRY(CheckSensitivity(sensitivity));
  PrivacyLoss loss(Shape::kDiscreteGaussian, 1 / (sigma * sigma));
  loss.sensitivity_ = sensitivity;
  return loss;
}

Result<PrivacyLoss> PrivacyLoss::DiscreteLaplace(double scale,
                                                 std::uint32_t sensitivity) {
  SOTTO_TRY(CheckScale(scale));
  SOTTO_TRY(CheckSensitivity(sensitivity));
  const double rate = UpDiv(1, scale);
  const double s = sensitivity;
  // P is centred at 0, Q at s; x <= 0 and x >= s are one atom each.
  Atoms distribution;
  distribution.unit = 2 * rate;
  const double center = 1 / (1 + std::exp(-rate));
  distribution.list.push_back({s * rate, center});
  for (std::uint32_t x = 1; x < sensitivity; ++x) {
    const double mass = -std::expm1(-rate) * center * std::exp(-rate * x);
    distribution.list.push_back({rate * (s - 2.0 * x), mass});
  }
  distribution.list.push_back({-s * rate, std::exp(-rate * s) * center});
  distribution.relative_error = (32 + 4 * s * rate) * kUnit;
  distribution.slack = 4 * s * rate * kUnit;
  return PrivacyLoss(std::move(distribution));
}

PrivacyLoss::Atoms PrivacyLoss::TwoPoints(double epsilon) {
  Atoms distribution;
  const double high = 1 / (1 + std::exp(-epsilon));
  distribution.list = {{epsilon, high}, {-epsilon, std::exp(-epsilon) * high}};
  distribution.unit = 2 * epsilon;
  distribution.relative_error = 16 * kUnit;
  return distribution;
}

Result<PrivacyLoss> PrivacyLoss::RandomizedResponse(double epsilon) {
  SOTTO_TRY(CheckEpsilon(epsilon));
  return PrivacyLoss(TwoPoints(epsilon));
}

Result<PrivacyLoss> PrivacyLoss::ApproximateDp(double epsilon, double delta) {
  SOTTO_TRY(CheckEpsilon(epsilon));
  if (!(delta >= 0) || !(delta < 1)) {
    return InvalidArgument("delta must be in [0, 1)");
  }
  Atoms distribution = TwoPoints(epsilon);
  for (Atom& atom : distribution.list) atom.mass *= 1 - delta;
  distribution.infinity = delta;
  return PrivacyLoss(std::move(distribution));
}

PrivacyLoss::Atoms PrivacyLoss::AtomsOfPair(std::span<const double> p,
                                            std::span<const double> q) {
  Atoms distribution;
  double largest = 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    if (p[i] <= 0) continue;
    if (q[i] <= 0) {
      distribution.infinity = UpAdd(distribution.infinity, p[i]);
      continue;
    }
    const double loss = std::log(p[i]) - std::log(q[i]);
    distribution.list.push_back({loss, p[i]});
    largest =
        std::max({largest, std::abs(std::log(p[i])), std::abs(std::log(q[i]))});
  }
  distribution.slack = 8 * largest * kUnit;
  return distribution;
}

Result<PrivacyLoss> PrivacyLoss::FromPair(std::span<const double> p,
                                          std::span<const double> q) {
  if (p.size() != q.size() || p.empty() || !IsDistribution(p) ||
      !IsDistribution(q)) {
    return InvalidArgument(
        "the pair must be two distributions on one finite set");
  }
  PrivacyLoss loss(AtomsOfPair(p, q));
  loss.symmetric_ = false;
  loss.reverse_ = AtomsOfPair(q, p);
  return loss;
}

PrivacyLoss PrivacyLoss::Reversed() const {
  PrivacyLoss reversed = *this;
  if (!symmetric_) std::swap(reversed.atoms_, reversed.reverse_);
  return reversed;
}

std::optional<double> PrivacyLoss::lattice_spacing() const {
  if (shape_ == Shape::kDiscreteGaussian) return sensitivity_ * parameter_;
  if (shape_ == Shape::kAtoms && atoms_.unit > 0) return atoms_.unit;
  return std::nullopt;
}

double PrivacyLoss::AlignedSpacing(double spacing) const {
  double step = 0;
  if (shape_ == Shape::kLaplace) step = parameter_;
  if (shape_ == Shape::kAtoms) step = atoms_.unit / 2;
  if (!(step > 0)) return spacing;
  const double steps = std::ceil(step / spacing);
  double aligned = step / steps;
  // Never below the atom: a part of it one lattice point too high would
  // dominate the tail.
  while (std::fma(steps, aligned, -step) < 0) aligned = StepUp(aligned);
  return aligned;
}

double PrivacyLoss::largest_loss() const {
  if (shape_ == Shape::kLaplace) return parameter_;
  if (shape_ != Shape::kAtoms) return std::numeric_limits<double>::infinity();
  double largest = -std::numeric_limits<double>::infinity();
  for (const Atom& atom : atoms_.list) largest = std::max(largest, atom.loss);
  return largest + atoms_.slack;
}

double PrivacyLoss::infinity() const {
  return shape_ == Shape::kAtoms ? atoms_.infinity : 0;
}

double PrivacyLoss::deviation() const {
  if (shape_ == Shape::kLaplace) return std::min(1.0, parameter_);
  if (shape_ == Shape::kGaussian) return parameter_;
  if (shape_ == Shape::kDiscreteGaussian) {
    return sensitivity_ * std::sqrt(parameter_);
  }
  double mass = 0;
  double first = 0;
  double second = 0;
  for (const Atom& atom : atoms_.list) {
    mass += atom.mass;
    first += atom.mass * atom.loss;
    second += atom.mass * atom.loss * atom.loss;
  }
  if (!(mass > 0)) return 0;
  const double mean = first / mass;
  return std::sqrt(std::max(0.0, second / mass - mean * mean));
}

}  // namespace sotto
