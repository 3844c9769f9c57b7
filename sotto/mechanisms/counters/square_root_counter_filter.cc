#include "sotto/mechanisms/counters/square_root_counter_filter.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "sotto/accounting/rounding.h"
#include "sotto/base/memo.h"

namespace sotto {
namespace {

// Relative error of the sums below: fewer than 2^10 positive terms
// of a few libm calls each (square_root_counter.md, step 3).
constexpr double kRelativeSlack = 1e-11;

// 1 + q + ... + q^(count - 1) with q = 1 - loss, loss in [0, 2), count whole.
double GeometricSum(double loss, double count) {
  if (loss == 0) return count;
  if (loss >= 1) return (1 - std::pow(1 - loss, count)) / loss;
  return -std::expm1(count * std::log1p(-loss)) / loss;
}

// 1 - (1 - a)(1 - b).
double JointLoss(double a, double b) { return a + b - a * b; }

double Loss(const SquareRootFilter::Buffer& buffer) {
  return std::ldexp(static_cast<double>(buffer.loss), -64);
}
double Weight(const SquareRootFilter::Buffer& buffer) {
  return std::ldexp(static_cast<double>(buffer.weight),
                    -SquareRootFilter::kWeightBits);
}

double SumOfSquaredCoefficients(const SquareRootFilter& filter, double steps) {
  double sum = 1;
  for (const auto& a : filter.buffers) {
    for (const auto& b : filter.buffers) {
      sum += Weight(a) * Weight(b) *
             GeometricSum(JointLoss(Loss(a), Loss(b)), steps - 1);
    }
  }
  return sum;
}

// The root of sum w / (m - mu) = 1 above buffer i, as m - mu_i: the zeros of c
// lie between its poles (step 6).
double RootAbove(const std::vector<SquareRootFilter::Buffer>& buffers,
                 std::size_t i) {
  const double base = Loss(buffers[i]);
  double total = 0;
  for (const auto& b : buffers) total += Weight(b);
  double low = 0;
  double high =
      i + 1 < buffers.size() ? Loss(buffers[i + 1]) - base : total + 1;
  for (int step = 0; step < 64; ++step) {
    const double x = (low + high) / 2;
    double value = 0;
    for (const auto& b : buffers) value += Weight(b) / (x + (base - Loss(b)));
    (value > 1 ? low : high) = x;
  }
  return (low + high) / 2;
}

// Search space of Best: the ends of a geometric sequence of losses, and
// corrections to the weights that the trapezoid rule gives them.
struct Design {
  std::size_t buffers;
  std::array<double, 6> knobs;

  double Fastest() const { return -std::log1p(std::exp(-knobs[1])); }
  double Gap() const {
    return (Fastest() - knobs[0]) / (static_cast<double>(buffers) - 1);
  }
  SquareRootFilter Make() const {
    const double slowest = knobs[0];
    const double gap = Gap();
    SquareRootFilter filter;
    for (std::size_t i = 0; i < buffers; ++i) {
      const double loss = std::exp(slowest + gap * static_cast<double>(i));
      double correction = knobs[2];
      if (i == 0) correction += knobs[3];
      if (i == 1) correction += knobs[4];
      if (i + 1 == buffers) correction += knobs[5];
      const double weight = gap * std::numbers::inv_pi *
                            std::sqrt(loss * (1 - loss)) * std::exp(correction);
      filter.buffers.push_back(
          {static_cast<std::uint64_t>(std::ldexp(loss, 64)),
           static_cast<std::uint32_t>(
               std::lround(std::ldexp(std::min(weight, 0.99), 32)))});
    }
    return filter;
  }
  double Cost(double horizon) const {
    // The losses must grow and stay below one.
    if (!(Gap() > 0) || !(std::exp(Fastest()) < 1 - 1e-12)) return HUGE_VAL;
    const SquareRootFilter filter = Make();
    for (const auto& b : filter.buffers) {
      if (b.weight == 0 || b.loss == 0) return HUGE_VAL;
    }
    return SumOfSquaredCoefficients(filter, horizon) *
           InverseFilter(filter).SumOfSquares(horizon);
  }
};

Design BestDesign(double steps) {
  // One buffer for every factor of about ten in time, and two for the ends.
  const auto buffers =
      static_cast<std::size_t>(std::ceil(std::log(steps) / 2.4)) + 2;
  Design best{buffers, {-std::log(steps), 1, 0, 0, 0, 0}};
  double cost = best.Cost(steps);
  for (int halvings = 1; halvings <= 7; ++halvings) {
    const double step = std::ldexp(1.0, -halvings);
    for (bool improved = true; improved;) {
      improved = false;
      for (std::size_t k = 0; k < best.knobs.size(); ++k) {
        for (const double sign : {1.0, -1.0}) {
          Design trial = best;
          trial.knobs[k] += sign * step;
          const double value = trial.Cost(steps);
          if (!(value < cost * (1 - 1e-6))) continue;
          best = trial;
          cost = value;
          improved = true;
        }
      }
    }
  }
  return best;
}

}  // namespace

SquareRootFilter SquareRootFilter::Best(std::uint64_t horizon) {
  const double steps = std::max(4.0, static_cast<double>(horizon));
  static Memo<double, Design> memo;
  return memo.Get(steps, [&] { return BestDesign(steps); }).Make();
}

double SquareRootFilter::RoundingUnits(int scale_bits) const {
  double weights = 0;
  double slow = 0;
  for (const Buffer& b : buffers) {
    weights += Weight(b);
    slow += Weight(b) / Loss(b);
  }
  return InflateUp(1 + std::ldexp(weights, scale_bits - kWeighedBits) +
                       std::ldexp(slow, scale_bits - kStateBits),
                   kRelativeSlack);
}

double SquareRootFilter::Sensitivity(int scale_bits,
                                     std::uint64_t horizon) const {
  const auto steps = static_cast<double>(horizon);
  const double unit = RoundingUnits(scale_bits);
  double sum = 0;
  for (const Buffer& b : buffers) {
    sum += Weight(b) * GeometricSum(Loss(b), steps - 1);
  }
  const double square =
      std::ldexp(SumOfSquaredCoefficients(*this, steps), 2 * scale_bits) +
      std::ldexp(2 * unit * sum, scale_bits) + (steps - 1) * unit * unit;
  return InflateUp(std::sqrt(square), kRelativeSlack);
}

InverseFilter::InverseFilter(const SquareRootFilter& filter) {
  const auto& buffers = filter.buffers;
  std::vector<double> above;  // root i minus loss i
  double at_one = 1;          // c(1)
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    above.push_back(RootAbove(buffers, i));
    at_one += Weight(buffers[i]) / Loss(buffers[i]);
  }
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    const double root = Loss(buffers[i]) + above[i];
    double residue = above[i];
    for (std::size_t k = 0; k < buffers.size(); ++k) {
      if (k == i) continue;
      const double between = Loss(buffers[i]) - Loss(buffers[k]);
      residue *= (above[i] + between) / (above[i] - above[k] + between);
    }
    terms_.push_back({root, residue / root});
  }
  terms_.push_back({0, 1 / at_one});
}

double InverseFilter::SumOfSquares(double steps) const {
  double sum = 0;
  for (const Term& a : terms_) {
    for (const Term& b : terms_) {
      sum += a.share * b.share * GeometricSum(JointLoss(a.loss, b.loss), steps);
    }
  }
  return sum;
}

double InverseFilter::Sum(double steps) const {
  double sum = 0;
  for (const Term& a : terms_) sum += a.share * GeometricSum(a.loss, steps);
  return sum;
}

}  // namespace sotto
