#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "sotto/accounting/loss_grid.h"
#include "sotto/base/result.h"

namespace sotto {

// The privacy loss of a mechanism: ln(P/Q) under P, for its worst pair of
// neighbouring outputs P and Q. OnGrid puts it on a lattice of any spacing.
//
//   auto loss = PrivacyLoss::Laplace(5.0);
//   auto grid = loss->OnGrid(0.001, 1e-20);
//   // tight_composition.h turns it into epsilon and delta.
//
// Noise scales are per unit of sensitivity for Laplace and Gaussian. The
// discrete ones are for integer queries that differ by at most `sensitivity`: a
// lattice does not scale, and DiscreteGaussian(sigma / s) would be far too
// optimistic for sensitivity s.
//
// Paper:     connect the dots: Doroshenko, Ghazi, Kamath, Kumar, Manurangsi
//            2022.
// Guarantee: the lattice dominates the mechanism (LossGrid says up to what), so
//            its compositions dominate the mechanism's.
// Proof:     privacy_loss.md, next to this file.
// Threads:   a value type.
class PrivacyLoss {
 public:
  // All fail with kInvalidArgument unless the parameters are positive and
  // finite, scales in [1e-9, 1e15] and sensitivities in [1, 2^20].
  static Result<PrivacyLoss> Laplace(double scale);
  static Result<PrivacyLoss> DiscreteLaplace(double scale,
                                             std::uint32_t sensitivity = 1);
  static Result<PrivacyLoss> Gaussian(double sigma);
  static Result<PrivacyLoss> DiscreteGaussian(double sigma,
                                              std::uint32_t sensitivity = 1);
  // The worst of all epsilon-DP mechanisms, and of all (epsilon, delta)-DP
  // ones.
  static Result<PrivacyLoss> RandomizedResponse(double epsilon);
  static Result<PrivacyLoss> ApproximateDp(double epsilon, double delta);
  // Two distributions on the same finite set; both must sum to 1 within 1e-9
  // and are taken as the exact measures they are.
  static Result<PrivacyLoss> FromPair(std::span<const double> p,
                                      std::span<const double> q);

  // False only for a pair whose two directions differ. Then compute both.
  bool symmetric() const { return symmetric_; }
  PrivacyLoss Reversed() const;

  // The lattice h * Z, tails of probability `tail` cut off pessimistically.
  Result<LossGrid> OnGrid(double spacing, double tail) const;
  // The lattice the losses are on by nature, if there is one: no
  // discretisation.
  std::optional<double> lattice_spacing() const;
  Result<LossGrid> OnOwnLattice(double tail) const;

  // A spacing near `spacing` (never above, but for the last bit) that puts the
  // atoms on lattice points.
  double AlignedSpacing(double spacing) const;
  double largest_loss() const;  // +infinity if unbounded
  double infinity() const;      // mass without a counterpart; no tails cut off
  double deviation() const;     // of the loss, roughly: a guide for spacings

 private:
  enum class Shape { kLaplace, kGaussian, kDiscreteGaussian, kAtoms };
  struct Atom {
    double loss;
    double mass;
  };
  struct Atoms {
    std::vector<Atom> list;
    double infinity = 0;
    double unit = 0;  // atoms at multiples of unit/2 of one parity; 0: anywhere
    double relative_error = 0;
    double slack = 0;
  };

  PrivacyLoss(Shape shape, double parameter)
      : shape_(shape), parameter_(parameter) {}
  explicit PrivacyLoss(Atoms atoms)
      : shape_(Shape::kAtoms), atoms_(std::move(atoms)) {}

  static Atoms TwoPoints(double epsilon);
  static Atoms AtomsOfPair(std::span<const double> p,
                           std::span<const double> q);
  Result<Atoms> DiscreteGaussianAtoms(double tail, double* truncated) const;
  static Result<LossGrid> LaplaceGrid(double epsilon, double spacing);
  static Result<LossGrid> GaussianGrid(double mu, double spacing, double tail);
  static Result<LossGrid> AtomsGrid(const Atoms& atoms, double spacing);
  static LossGrid NativeGrid(const Atoms& atoms);

  Shape shape_;
  // 1 / scale or 1 / sigma, rounded up, or 1 / sigma^2 (discrete Gaussian).
  double parameter_ = 0;
  double sensitivity_ = 1;  // discrete Gaussian; an integer
  Atoms atoms_;
  // The other direction of a pair.
  bool symmetric_ = true;
  Atoms reverse_;
};

}  // namespace sotto
