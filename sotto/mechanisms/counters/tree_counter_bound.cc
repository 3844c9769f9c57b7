#include "sotto/mechanisms/counters/tree_counter_bound.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sotto/accounting/rounding.h"

namespace sotto {
namespace {

// Covers the rounding of doubles in the bound and the half unit and the
// fixed-point error of the estimate (tree_counter.md, step 6).
constexpr double kRoundingOfEstimate = 1;
constexpr double kRelativeSlack = 1e-9;
constexpr double kMaxRadix = 1e4;
// Products of radices up to 2^62 are exact in a long double.
static_assert(std::numeric_limits<long double>::digits >= 64);

// ln E exp(tilt Z) for discrete Laplace Z of the given rate; tilt < rate. In
// this form nothing cancels at small rates (tree_counter.md, step 4).
double LogMoment(double rate, double tilt) {
  const double ratio = std::sinh(tilt / 2) / std::sinh(rate / 2);
  return -std::log1p(-ratio * ratio);
}

// ln(1 + M + ... + M^last).
double LogGeometricSum(double log_moment, std::uint64_t last) {
  const auto count = static_cast<double>(last) + 1;
  if (log_moment * count < 1e-9) return std::log(count) + log_moment * count;
  // (M^count - 1) / (M - 1), from the largest term down.
  return log_moment * (count - 1) + std::log(-std::expm1(-log_moment * count)) -
         std::log(-std::expm1(-log_moment));
}

// `levels` radices, as equal as can be, whose product reaches the horizon; the
// larger ones below.
std::vector<std::uint64_t> EvenRadices(std::uint64_t horizon,
                                       std::size_t levels) {
  const auto target = static_cast<long double>(horizon);
  // A little below the root, so that the search goes up a step or two.
  const long double root =
      std::pow(target, 1 / static_cast<long double>(levels));
  auto low = static_cast<std::uint64_t>(std::max(1.0L, root * 0.999L - 1));
  auto power = [&](std::size_t raised) {
    long double product = 1;
    for (std::size_t i = 0; i < levels; ++i) {
      product *= static_cast<long double>(i < raised ? low + 1 : low);
    }
    return product;
  };
  while (power(levels) < target) ++low;
  std::size_t raised = 0;
  while (power(raised) < target) ++raised;
  std::vector<std::uint64_t> radices(levels, low);
  std::fill_n(radices.begin(), raised, low + 1);
  return radices;
}

bool Reaches(const std::vector<std::uint64_t>& radices, std::uint64_t horizon) {
  constexpr std::size_t kMaxLevels = 40;
  constexpr std::uint64_t kLargest = std::uint64_t{1} << 13;
  if (radices.size() > kMaxLevels) return false;
  long double reached = 1;
  for (const std::uint64_t radix : radices) {
    if (radix < 2 || radix > kLargest) return false;
    reached *= static_cast<long double>(radix);
  }
  // Node sizes must stay integers of 64 bits.
  return reached >= static_cast<long double>(horizon) && reached <= 0x1p62L;
}

}  // namespace

Result<TreeShape> TreeShape::Best(const Target& target) {
  if (!(target.epsilon >= 0x1p-20 && target.epsilon <= 16)) {
    return InvalidArgument("the epsilon of a counter must be in [2^-20, 16]");
  }
  if (target.horizon < 1 || target.horizon > kMaxHorizon) {
    return InvalidArgument("the horizon of a counter must be in [1, 2^40]");
  }
  if (!(target.failure >= 1e-10 && target.failure < 1)) {
    return InvalidArgument("the failure probability must be in [1e-10, 1)");
  }
  if (!target.radices.empty()) {
    if (!Reaches(target.radices, target.horizon)) {
      return InvalidArgument("these radices do not make a tree this long");
    }
    return Make(target.radices, target);
  }
  TreeShape best;
  double least = 0;
  for (std::size_t levels = 1; levels <= 40; ++levels) {
    // A node of more than kMaxRadix children is never best.
    if (std::pow(static_cast<double>(target.horizon),
                 1 / static_cast<double>(levels)) > kMaxRadix) {
      continue;
    }
    auto radices = EvenRadices(target.horizon, levels);
    if (levels > 1 && radices.back() == 1) break;
    TreeShape shape = Make(std::move(radices), target);
    const double error = shape.ErrorBound(target.failure);
    if (best.radices.empty() || error < least) {
      least = error;
      best = std::move(shape);
    } else if (error > 2 * least) {
      break;  // Deeper trees only get worse from here.
    }
  }
  return best;
}

TreeShape TreeShape::Make(std::vector<std::uint64_t> radices,
                          const Target& target) {
  TreeShape shape;
  shape.radices = std::move(radices);
  shape.horizon = target.horizon;
  if (target.with_total) {
    shape.radices.push_back(1);
    shape.horizon = shape.NodeSizes().back();
  }
  shape.rate =
      DownDiv(target.epsilon, static_cast<double>(shape.radices.size()));
  // Inverse-variance weights, in units of one noise's variance.
  double variance = 1;
  shape.child_weights.push_back(0);
  for (std::size_t l = 1; l < shape.levels(); ++l) {
    const double children =
        variance * static_cast<double>(shape.radices[l - 1]);
    variance = children / (1 + children);
    const double weight = 1 / (1 + children);
    shape.child_weights.push_back(static_cast<std::uint32_t>(
        std::lround(std::ldexp(weight, kWeightBits))));
  }
  return shape;
}

std::vector<std::uint64_t> TreeShape::NodeSizes() const {
  std::vector<std::uint64_t> sizes = {1};
  for (std::size_t l = 0; l + 1 < levels(); ++l) {
    sizes.push_back(sizes.back() * radices[l]);
  }
  return sizes;
}

std::uint64_t TreeShape::Draws(std::uint64_t steps) const {
  std::uint64_t draws = 0;
  for (const std::uint64_t size : NodeSizes()) draws += steps / size;
  return draws;
}

std::vector<double> TreeShape::LevelLogMoments(double tilt) const {
  std::vector<double> moments;
  for (std::size_t top = 0; top < levels(); ++top) {
    // Down from `top`: a node's own noise, then its children's, each level
    // tilted by the product of the weights above.
    double moment = 0;
    double scaled = tilt;
    double nodes = 1;
    for (std::size_t l = top + 1; l-- > 0;) {
      const double weight =
          std::ldexp(static_cast<double>(child_weights[l]), -kWeightBits);
      moment += nodes * LogMoment(rate, scaled * (1 - weight));
      scaled *= weight;
      if (l > 0) nodes *= static_cast<double>(radices[l - 1]);
    }
    moments.push_back(moment);
  }
  return moments;
}

double TreeShape::LogMomentAtEnd(double tilt) const {
  const std::vector<double> moments = LevelLogMoments(tilt);
  const std::vector<std::uint64_t> sizes = NodeSizes();
  double sum = 0;
  std::uint64_t rest = horizon;
  for (std::size_t l = levels(); l-- > 0;) {
    const std::uint64_t digit = rest / sizes[l];
    sum += moments[l] * static_cast<double>(digit);
    rest %= sizes[l];
  }
  return sum;
}

double TreeShape::LogMomentSum(double tilt) const {
  const std::vector<double> moments = LevelLogMoments(tilt);
  const std::vector<std::uint64_t> sizes = NodeSizes();
  double sum = 0;
  for (std::size_t l = 0; l < levels(); ++l) {
    const bool top = l + 1 == levels();
    const std::uint64_t last = top ? horizon / sizes[l] : radices[l] - 1;
    // The leaves of one block are a random walk: Doob (step 5).
    sum += l == 0 ? moments[l] * static_cast<double>(last)
                  : LogGeometricSum(moments[l], last);
  }
  return sum;
}

double TreeShape::ErrorBound(double failure) const {
  const double error =
      LeastError(MaxTilt(), std::log(2 / failure),
                 [this](double tilt) { return LogMomentSum(tilt); });
  return InflateUp(error, kRelativeSlack) + kRoundingOfEstimate;
}

}  // namespace sotto
