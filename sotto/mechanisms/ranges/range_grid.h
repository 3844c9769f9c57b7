#pragma once

#include <cstdint>
#include <optional>

#include "sotto/base/result.h"

namespace sotto {

// A public range of numbers, cut into equal cells or fine steps. Numbers
// outside of it belong to its ends; NaN belongs to none.
//
//   auto grid = RangeGrid::Create(0, 100, 1000);
//   grid->Cell(12.34);   // 123
//   grid->Edge(123);     // 12.3
//
// Threads: a value type.
class RangeGrid {
 public:
  static constexpr std::uint64_t kMaxCells = std::uint64_t{1} << 20;

  // Fails with kInvalidArgument unless the ends and their difference are
  // finite, low < high, and there are 1 to kMaxCells cells.
  static Result<RangeGrid> Create(double low, double high, std::uint64_t cells);

  double low() const { return low_; }
  double high() const { return high_; }
  std::uint64_t cells() const { return cells_; }
  // In [0, cells).
  std::optional<std::uint64_t> Cell(double value) const;
  // The nearest of the edges, in [0, cells].
  std::optional<std::uint64_t> NearestEdge(double value) const;
  // Lower edge of a cell; Edge(cells) is `high`.
  double Edge(std::uint64_t cell) const;
  // The place between the edges; `at` is clamped to [0, cells].
  double Interpolate(double at) const;

 private:
  RangeGrid(double low, double high, std::uint64_t cells)
      : low_(low), high_(high), cells_(cells) {}
  std::optional<double> Place(double value) const;

  double low_;
  double high_;
  std::uint64_t cells_;
};

}  // namespace sotto
