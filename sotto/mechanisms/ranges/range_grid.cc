#include "sotto/mechanisms/ranges/range_grid.h"

#include <algorithm>
#include <cmath>

namespace sotto {

Result<RangeGrid> RangeGrid::Create(double low, double high,
                                    std::uint64_t cells) {
  if (!std::isfinite(low) || !std::isfinite(high - low) || !(low < high)) {
    return InvalidArgument(
        "a range has a finite low end and a larger, finite high end");
  }
  if (cells < 1 || cells > kMaxCells) {
    return InvalidArgument("a range has 1 to 2^20 cells");
  }
  return RangeGrid(low, high, cells);
}

std::optional<double> RangeGrid::Place(double value) const {
  if (std::isnan(value)) return std::nullopt;
  const double inside = std::clamp(value, low_, high_);
  return (inside - low_) / (high_ - low_) * static_cast<double>(cells_);
}

std::optional<std::uint64_t> RangeGrid::Cell(double value) const {
  const auto place = Place(value);
  if (!place) return std::nullopt;
  return std::min(static_cast<std::uint64_t>(*place), cells_ - 1);
}

std::optional<std::uint64_t> RangeGrid::NearestEdge(double value) const {
  const auto place = Place(value);
  if (!place) return std::nullopt;
  return std::min(static_cast<std::uint64_t>(*place + 0.5), cells_);
}

double RangeGrid::Edge(std::uint64_t cell) const {
  return Interpolate(static_cast<double>(cell));
}

// The weighted mean of the ends: decimals stay short where the sum is finite.
double RangeGrid::Interpolate(double at) const {
  const auto cells = static_cast<double>(cells_);
  const double inside = std::clamp(at, 0.0, cells);
  const double sum = low_ * (cells - inside) + high_ * inside;
  if (std::isfinite(sum)) return sum / cells;
  return low_ * (1 - inside / cells) + high_ * (inside / cells);
}

}  // namespace sotto
