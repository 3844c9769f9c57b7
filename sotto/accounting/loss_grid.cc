#include "sotto/accounting/loss_grid.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sotto {
namespace {

constexpr double kUnit = 0x1p-53;
constexpr double kMaxSpacing = 300;  // e^spacing stays a double
constexpr double kMaxPoints = 0x1p24;
constexpr double kMaxIndex = 0x1p51;  // index * spacing by one fma
constexpr double kTinyMass = 1e-250;
constexpr double kSplitError = 24 * kUnit;  // five libm calls and products

double LossAt(const LossGrid& grid, std::size_t i) {
  return (static_cast<double>(grid.first + static_cast<std::int64_t>(i)) +
          grid.offset) *
         grid.spacing;
}

double LargestLoss(const LossGrid& grid) {
  return std::max(std::abs(LossAt(grid, 0)),
                  std::abs(LossAt(grid, grid.mass.size() - 1)));
}

}  // namespace

TiltedMoments ComputeMoments(const LossGrid& grid, double tilt) {
  double peak = -HUGE_VAL;
  for (std::size_t i = 0; i < grid.mass.size(); ++i) {
    // Only a scale against overflow. The ends and any mass above 1e-300 are
    // enough.
    if (grid.mass[i] > 0) peak = std::max(peak, tilt * LossAt(grid, i));
  }
  if (peak == -HUGE_VAL) return {-HUGE_VAL, 0, 0};
  double best = -HUGE_VAL;
  if (std::abs(tilt) * LargestLoss(grid) > 300) {
    for (std::size_t i = 0; i < grid.mass.size(); ++i) {
      if (grid.mass[i] <= 0) continue;
      best = std::max(best, std::log(grid.mass[i]) + tilt * LossAt(grid, i));
    }
    peak = best;
  }
  const bool in_logs = best != -HUGE_VAL;
  double sum = 0;
  double first = 0;
  double second = 0;
  const double origin = LossAt(grid, grid.mass.size() / 2);
  for (std::size_t i = 0; i < grid.mass.size(); ++i) {
    if (grid.mass[i] <= 0) continue;
    const double loss = LossAt(grid, i);
    const double weight =
        in_logs ? std::exp(std::log(grid.mass[i]) + tilt * loss - peak)
                : grid.mass[i] * std::exp(tilt * loss - peak);
    sum += weight;
    first += weight * (loss - origin);
    second += weight * (loss - origin) * (loss - origin);
  }
  const double mean = first / sum;
  return {peak + std::log(sum), origin + mean,
          std::max(0.0, second / sum - mean * mean)};
}

double LogMomentError(const LossGrid& grid, double tilt) {
  // The sum of positive terms, the exponent of each, log of mass in the worst
  // case (at most 745), and the final logarithm.
  return kUnit * (static_cast<double>(grid.mass.size()) + 64 +
                  8 * (std::abs(tilt) * LargestLoss(grid) + 745));
}

Result<GridBuilder> GridBuilder::Create(double spacing, double lowest,
                                        double highest) {
  if (!(spacing > 0) || !(spacing <= kMaxSpacing) || !(lowest <= highest)) {
    return InvalidArgument("spacing must be in (0, 300], losses ordered");
  }
  const double first = std::floor(lowest / spacing) - 1;
  const double last = std::ceil(highest / spacing) + 1;
  const double largest = std::max(std::abs(first), std::abs(last));
  if (!(last - first < kMaxPoints) || !(largest < kMaxIndex)) {
    return NotConverged("the privacy loss spreads too far for the lattice");
  }
  LossGrid grid;
  grid.spacing = spacing;
  grid.first = static_cast<std::int64_t>(first);
  grid.mass.assign(static_cast<std::size_t>(last - first) + 1, 0.0);
  grid.relative_error = kSplitError;
  return GridBuilder(std::move(grid));
}

GridBuilder::GridBuilder(LossGrid grid)
    : grid_(std::move(grid)), one_minus_exp_(-std::expm1(-grid_.spacing)) {}

void GridBuilder::AddAtom(double loss, double mass) {
  const double h = grid_.spacing;
  double j = std::floor(loss / h);
  // The quotient was rounded; the remainders below are exact up to one
  // rounding.
  if (std::fma(-j, h, loss) < 0) j -= 1;
  if (std::fma(-(j + 1), h, loss) >= 0) j += 1;
  const double above = std::fma(-j, h, loss);      // loss - l0
  const double below = std::fma(j + 1, h, -loss);  // l1 - loss
  const auto index = static_cast<std::int64_t>(j);
  if (mass < kTinyMass) {
    // Splitting might underflow: all of it goes up (privacy_loss.md, step 9).
    AddPoint(above > 0 ? index + 1 : index,
             std::max(mass, std::numeric_limits<double>::min()));
    return;
  }
  AddSegment(index, mass * -std::expm1(-above), mass * std::expm1(below));
}

void GridBuilder::AddSegment(std::int64_t index, double above, double below) {
  AddPoint(index + 1, above / one_minus_exp_);
  // e^h - 1 = e^h (1 - e^(-h)).
  AddPoint(index, below * std::exp(-grid_.spacing) / one_minus_exp_);
}

LossGrid GridBuilder::Build() && {
  std::vector<double>& mass = grid_.mass;
  while (mass.size() > 1 && mass.back() == 0) mass.pop_back();
  const auto begin = std::find_if(mass.begin(), mass.end() - 1,
                                  [](double x) { return x > 0; });
  grid_.first += begin - mass.begin();
  mass.erase(mass.begin(), begin);
  return std::move(grid_);
}

void GridBuilder::AddPoint(std::int64_t index, double mass) {
  grid_.mass[static_cast<std::size_t>(index - grid_.first)] += mass;
}

}  // namespace sotto
