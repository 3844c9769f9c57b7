// Puts each distribution of PrivacyLoss on a lattice. Steps are those of
// privacy_loss.md.

#include <algorithm>
#include <boost/math/quadrature/gauss.hpp>
#include <cmath>
#include <limits>

#include "sotto/accounting/privacy_loss.h"

namespace sotto {
namespace {

constexpr double kUnit = 0x1p-53;
// The sum of the discrete Gaussian's weights is charged 2^-63 a term.
static_assert(std::numeric_limits<long double>::digits >= 64);
constexpr double kMaxAtoms = 0x1p24;
constexpr double kQuadratureTarget = 1e-15;
constexpr int kNodes = 10;
constexpr int kEllipses = 18;
// Step 9: densities are not taken below e^-600, so that nothing underflows.
constexpr double kMaxExponent = 600;
constexpr double kLeastMass = std::numeric_limits<double>::min();
using Rule = boost::math::quadrature::gauss<double, kNodes>;

// How many deviations of a Gaussian leave `tail` outside, on one side:
// exp(-z^2/2) / 2 <= tail.
double DeviationsFor(double tail) {
  return std::sqrt(-2 * std::log(std::clamp(2 * tail, 1e-306, 0.9))) *
         (1 + 1e-12);
}

// Step 5: the relative error of the quadrature with panels of half-width r, on
// the best of a few ellipses.
double QuadratureError(double segment, double r, double z_max, double spacing) {
  double best = HUGE_VAL;
  const double mu = spacing / segment;
  double rho = 2;
  for (int i = 0; i < kEllipses; ++i, rho *= 1.3) {
    const double a = r * (rho + 1 / rho) / 2;
    const double b = r * (rho - 1 / rho) / 2;
    const double exponent =
        z_max * (a + segment) + b * b / 2 + mu * (2 * segment + a);
    const double decay = std::pow(rho, -2.0 * kNodes) / (1 - 1 / (rho * rho));
    best = std::min(
        best, 64.0 / 15 * (segment + a) / segment * std::exp(exponent) * decay);
  }
  return best;
}

// e^-x, with a floor that avoids underflow.
double FlooredExp(double x) { return std::exp(-std::min(x, kMaxExponent)); }

struct Node {
  double z;      // from the lower end, in deviations
  double above;  // weight * (1 - e^(l0 - l))
  double below;  // weight * (e^(l1 - l) - 1)
};

// Gauss-Legendre nodes on `panels` panels of a segment `width` deviations wide,
// `spacing` wide in losses.
std::vector<Node> SegmentNodes(double width, double spacing, int panels) {
  const double root_two_pi = std::sqrt(2 * std::acos(-1.0));
  const double r = width / (2 * panels);
  std::vector<Node> nodes;
  for (int panel = 0; panel < panels; ++panel) {
    for (std::size_t i = 0; i < Rule::abscissa().size(); ++i) {
      for (const double sign : {-1.0, 1.0}) {
        const double z = r * (2 * panel + 1 + sign * Rule::abscissa()[i]);
        const double weight = r * Rule::weights()[i] / root_two_pi;
        const double share = z / width;
        nodes.push_back({z, weight * -std::expm1(-share * spacing),
                         weight * std::expm1((1 - share) * spacing)});
      }
    }
  }
  return nodes;
}

}  // namespace

Result<LossGrid> PrivacyLoss::LaplaceGrid(double epsilon, double spacing) {
  const double e = epsilon;
  const double h = spacing;
  SOTTO_TRY_ASSIGN(auto builder, GridBuilder::Create(h, -e, e));
  builder.AddAtom(e, 0.5);
  builder.AddAtom(-e, 0.5 * FlooredExp(e));
  // Step 4: between the atoms dP = e^((l - e)/2) / 4 dl, integrated in closed
  // form over [s, t], the part of the segment inside [-e, e].
  for (std::int64_t j = builder.first(); j < builder.last(); ++j) {
    const auto index = static_cast<double>(j);
    const double l0_to_end = std::fma(-index, h, e);        // e - l0
    const double l1_to_end = std::fma(-(index + 1), h, e);  // e - l1
    const double start_to_l0 = std::fma(index, h, e);       // l0 + e
    const double start_to_l1 = std::fma(index + 1, h, e);   // l1 + e
    if (l0_to_end <= 0 || start_to_l1 <= 0) continue;
    const double s_from_l0 = start_to_l0 >= 0 ? 0 : -start_to_l0;
    const double t_from_l0 = l1_to_end >= 0 ? h : l0_to_end;
    const double s_to_l1 = start_to_l0 >= 0 ? h : start_to_l1;
    const double t_to_l1 = l1_to_end >= 0 ? 0 : -l1_to_end;
    double width = h;
    if (start_to_l0 < 0) width = l1_to_end >= 0 ? start_to_l1 : 2 * e;
    if (start_to_l0 >= 0 && l1_to_end < 0) width = l0_to_end;
    const double common = 2 * std::sinh(width / 4);
    builder.AddSegment(j,
                       common * FlooredExp(l0_to_end / 2) *
                           std::sinh((t_from_l0 + s_from_l0) / 4),
                       common * FlooredExp(l1_to_end / 2) *
                           std::sinh((s_to_l1 + t_to_l1) / 4));
  }
  LossGrid grid = std::move(builder).Build();
  grid.relative_error += (48 + 4 * e) * kUnit;
  return grid;
}

Result<LossGrid> PrivacyLoss::GaussianGrid(double mu, double spacing,
                                           double tail) {
  const double z_tail = DeviationsFor(tail);
  SOTTO_TRY_ASSIGN(auto builder,
                   GridBuilder::Create(spacing, mu * mu / 2 - mu * z_tail,
                                       mu * mu / 2 + mu * z_tail));
  const double width = spacing / mu;
  const double z_max = z_tail + 2 * width + 1e-9 * (mu + 1);
  int panels = 1;
  double error = QuadratureError(width, width / 2, z_max, spacing);
  while (!(error <= kQuadratureTarget) && panels < 4096) {
    panels *= 2;
    error = QuadratureError(width, width / (2 * panels), z_max, spacing);
  }
  if (!(error <= kQuadratureTarget)) {
    return NotConverged("the lattice is too coarse");
  }
  const std::vector<Node> nodes = SegmentNodes(width, spacing, panels);
  for (std::int64_t j = builder.first(); j < builder.last(); ++j) {
    const double z0 = static_cast<double>(j) * spacing / mu - mu / 2;
    double above = 0;
    double below = 0;
    for (const Node& node : nodes) {
      const double z = z0 + node.z;
      const double density = FlooredExp(z * z / 2);
      above += density * node.above;
      below += density * node.below;
    }
    builder.AddSegment(j, above, below);
  }
  const double outside = 0.5 * std::exp(-z_tail * z_tail / 2) * (1 + 1e-9);
  builder.AddPoint(builder.first(), outside);
  LossGrid grid = std::move(builder).Build();
  grid.truncated = outside;
  grid.relative_error +=
      error + kUnit * (32.0 * panels + 96 + 8 * z_max * (z_max + mu + width));
  return grid;
}

// Step 6.
Result<PrivacyLoss::Atoms> PrivacyLoss::DiscreteGaussianAtoms(
    double tail, double* truncated) const {
  const double d = parameter_;
  const double s = sensitivity_;
  const double reach = std::ceil(DeviationsFor(tail) / std::sqrt(d)) + 1;
  if (!(2 * reach < kMaxAtoms)) {
    return NotConverged(
        "sigma is too large to enumerate the discrete Gaussian");
  }
  const auto x_max = static_cast<std::int64_t>(reach);
  const auto weight = [d](double x) { return std::exp(-x * x * d / 2); };
  long double total = 0;
  for (std::int64_t x = x_max; x > 0; --x) {
    total += 2 * weight(static_cast<double>(x));
  }
  total += 1;
  const auto scale = static_cast<double>(1 / total);
  // Step 9: the tail may be below the doubles, but it is not zero.
  *truncated = std::max(kLeastMass, scale * weight(reach + 1) /
                                        -std::expm1(-(2 * reach + 3) * d / 2) *
                                        (1 + 1e-9));
  Atoms atoms;
  atoms.unit = s * d;
  atoms.list.reserve(static_cast<std::size_t>(2 * x_max + 1));
  for (std::int64_t x = -x_max; x <= x_max; ++x) {
    const auto value = static_cast<double>(x);
    atoms.list.push_back({(s - 2 * value) * s * d / 2, scale * weight(value)});
  }
  atoms.list.back().mass += *truncated;  // the least loss takes the lower tail
  atoms.slack = 8 * kUnit * (2 * reach + s) * s * d;
  atoms.relative_error =
      kUnit * (64 + 4 * (reach + 1) * (reach + 1) * d) + 0x1p-63 * reach;
  return atoms;
}

Result<LossGrid> PrivacyLoss::AtomsGrid(const Atoms& distribution,
                                        double spacing) {
  double lowest = HUGE_VAL;
  double highest = -HUGE_VAL;
  for (const Atom& atom : distribution.list) {
    lowest = std::min(lowest, atom.loss);
    highest = std::max(highest, atom.loss);
  }
  if (distribution.list.empty()) lowest = highest = 0;
  SOTTO_TRY_ASSIGN(auto builder, GridBuilder::Create(spacing, lowest, highest));
  for (const Atom& atom : distribution.list)
    builder.AddAtom(atom.loss, atom.mass);
  LossGrid grid = std::move(builder).Build();
  grid.infinity = distribution.infinity;
  grid.slack = distribution.slack;
  // A point is a sum of positive terms, two for every atom within one spacing.
  const auto count = static_cast<double>(distribution.list.size());
  const double per_point =
      distribution.unit > 0
          ? std::min(count, 2 * spacing / distribution.unit + 2)
          : count;
  grid.relative_error += distribution.relative_error + kUnit * 2 * per_point;
  return grid;
}

LossGrid PrivacyLoss::NativeGrid(const Atoms& distribution) {
  const auto half_steps = [&distribution](const Atom& atom) {
    return static_cast<std::int64_t>(
        std::llround(2 * atom.loss / distribution.unit));
  };
  std::int64_t lowest = half_steps(distribution.list.front());
  std::int64_t highest = lowest;
  for (const Atom& atom : distribution.list) {
    lowest = std::min(lowest, half_steps(atom));
    highest = std::max(highest, half_steps(atom));
  }
  const std::int64_t odd = lowest & 1;
  LossGrid grid;
  grid.spacing = distribution.unit;
  grid.offset = static_cast<double>(odd) / 2;
  grid.first = (lowest - odd) / 2;
  grid.mass.assign(static_cast<std::size_t>((highest - lowest) / 2) + 1, 0.0);
  for (const Atom& atom : distribution.list) {
    grid.mass[static_cast<std::size_t>((half_steps(atom) - lowest) / 2)] +=
        std::max(atom.mass, kLeastMass);
  }
  grid.infinity = distribution.infinity;
  grid.relative_error = distribution.relative_error;
  grid.slack = distribution.slack;
  return grid;
}

Result<LossGrid> PrivacyLoss::OnGrid(double spacing, double tail) const {
  if (!(tail > 0) || !(tail < 1)) {
    return InvalidArgument("the tail must be in (0, 1)");
  }
  switch (shape_) {
    case Shape::kLaplace:
      return LaplaceGrid(parameter_, spacing);
    case Shape::kGaussian:
      return GaussianGrid(parameter_, spacing, tail);
    case Shape::kAtoms:
      return AtomsGrid(atoms_, spacing);
    case Shape::kDiscreteGaussian:
      break;
  }
  double truncated = 0;
  SOTTO_TRY_ASSIGN(const auto atoms, DiscreteGaussianAtoms(tail, &truncated));
  auto grid = AtomsGrid(atoms, spacing);
  if (grid) grid->truncated = truncated;
  return grid;
}

Result<LossGrid> PrivacyLoss::OnOwnLattice(double tail) const {
  if (!lattice_spacing()) {
    return FailedPrecondition("the losses are not on a lattice");
  }
  if (shape_ == Shape::kAtoms) return NativeGrid(atoms_);
  double truncated = 0;
  SOTTO_TRY_ASSIGN(const auto atoms, DiscreteGaussianAtoms(tail, &truncated));
  LossGrid grid = NativeGrid(atoms);
  grid.truncated = truncated;
  return grid;
}

}  // namespace sotto
