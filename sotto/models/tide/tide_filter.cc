#include "sotto/models/tide/tide_filter.h"

#include <cassert>
#include <cmath>
#include <numbers>

#include "sotto/accounting/rounding.h"
#include "sotto/base/portable_math.h"

namespace sotto {
namespace {

// Fewer than 2^10 positive terms of correctly rounded operations each.
constexpr double kRelativeSlack = 1e-11;
// Five exponentials are within 1 % of the best noise there is (tide.md,
// Constants).
constexpr int kBuffers = 5;
constexpr double kSlowest = 0.05;

double Share(std::uint32_t value) {
  return std::ldexp(static_cast<double>(value), -TideFilter::kBits);
}

// 1 / sqrt(1 - x) is the integral of x / (1 - (1 - mu) x) times
// sqrt((1 - mu) / mu) / pi over mu. A cell is an interval of ln mu; it becomes
// one exponential with the cell's whole weight, at its mean. `kept` is what
// every step leaves of the past beside that.
TideFilter::Buffer Cell(double low, double high, double kept) {
  constexpr int kPoints = 64;
  const double width = (high - low) / kPoints;
  double weight = 0;
  double mean = 0;
  for (int i = 0; i < kPoints; ++i) {
    const double mu = PortableExp(low + width * (i + 0.5));
    const double part = std::numbers::inv_pi * std::sqrt((1 - mu) * mu) * width;
    weight += part;
    mean += part * mu;
  }
  const double loss = 1 - (1 - mean / weight) * kept;
  return {
      static_cast<std::uint32_t>(std::ldexp(loss, TideFilter::kBits)),
      static_cast<std::uint32_t>(std::ldexp(weight * kept, TideFilter::kBits))};
}

}  // namespace

TideFilter TideFilter::ForMemory(std::uint64_t memory) {
  assert(memory >= kLeastMemory && memory <= kMaxMemory);
  const auto steps = static_cast<double>(memory);
  const double slowest = PortableLog(kSlowest / steps);
  TideFilter filter;
  for (int i = 0; i < kBuffers; ++i) {
    filter.buffers.push_back(Cell(slowest * (kBuffers - i) / kBuffers,
                                  slowest * (kBuffers - i - 1) / kBuffers,
                                  1 - 1 / steps));
  }
  filter.epoch = kEpochsOfMemory * memory;
  return filter;
}

double TideFilter::Norm() const {
  double sum = 1;
  for (const Buffer& a : buffers) {
    for (const Buffer& b : buffers) {
      const double joint =
          Share(a.loss) + Share(b.loss) - Share(a.loss) * Share(b.loss);
      sum += Share(a.weight) * Share(b.weight) / joint;
    }
  }
  return InflateUp(std::sqrt(sum), kRelativeSlack);
}

double TideFilter::RoundingUnits() const {
  double slow = 0;
  for (const Buffer& b : buffers) slow += Share(b.weight) / Share(b.loss);
  return InflateUp(1 + std::ldexp(slow, -kStateBits), kRelativeSlack);
}

}  // namespace sotto
