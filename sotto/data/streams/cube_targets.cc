// Targets on the unit cube: threshold, stump, rectangle.

#include <algorithm>
#include <utility>

#include "sotto/data/streams/generated_target.h"

namespace sotto {
namespace {

constexpr std::int64_t kNear = kCubeOne / 100'000;  // 10^-5: how poison aims

std::int64_t DrawCell(Rng& rng) { return Below(rng, kCubeLast + 1); }

// A boundary in [0.2, 0.8].
std::int64_t DrawBoundary(Rng& rng) {
  return kCubeOne / 5 + Below(rng, kCubeOne / 5 * 3 + 1);
}

// Just below the boundary or just above.
std::int64_t DrawNear(std::int64_t boundary, std::int64_t reach, Rng& rng) {
  const std::int64_t distance = Below(rng, 2 * reach) - reach;
  return std::clamp<std::int64_t>(boundary + distance, 0, kCubeLast);
}

// In a corner of the cube: 10^-3 of every axis.
void FillCorner(Rng& rng, std::vector<std::int64_t>& cells) {
  constexpr std::int64_t kCorner = kCubeOne / 1000;
  for (std::int64_t& cell : cells) cell = kCubeLast - Below(rng, kCorner);
}

// One axis decides; a threshold is a stump of one feature that rises.
class StumpTarget final : public GeneratedTarget {
 public:
  StumpTarget(std::uint32_t features, std::uint32_t axis, std::int64_t boundary,
              bool falls)
      : features_(features),
        axis_(axis),
        boundary_(boundary),
        boundary_value_(CubeValue(boundary)),
        falls_(falls) {}

  void Row(Rng& rng, GeneratedRow& row) const override {
    row.cells.resize(features_);
    for (std::int64_t& cell : row.cells) cell = DrawCell(rng);
    row.y = Label(row);
  }
  void Poison(Rng& rng, GeneratedRow& row) const override {
    Probe(kNear, rng, row);
  }
  void Probe(std::int64_t reach, Rng& rng, GeneratedRow& row) const override {
    Row(rng, row);
    row.cells[axis_] = DrawNear(boundary_, reach, rng);
    row.y = !Label(row);
  }
  void Flood(Rng& rng, GeneratedRow& row) const override {
    row.cells.resize(features_);
    FillCorner(rng, row.cells);
    row.y = !Label(row);
  }

 private:
  bool Label(const GeneratedRow& row) const {
    return (CubeValue(row.cells[axis_]) >= boundary_value_) != falls_;
  }

  std::uint32_t features_;
  std::uint32_t axis_;
  std::int64_t boundary_;
  double boundary_value_;
  bool falls_;
};

class RectangleTarget final : public GeneratedTarget {
 public:
  RectangleTarget(std::vector<std::int64_t> low, std::int64_t side)
      : low_(std::move(low)), side_(side) {
    for (const std::int64_t cell : low_) {
      bounds_.emplace_back(CubeValue(cell), CubeValue(cell + side));
    }
  }

  void Row(Rng& rng, GeneratedRow& row) const override {
    row.cells.resize(low_.size());
    for (std::int64_t& cell : row.cells) cell = DrawCell(rng);
    row.y = Contains(row);
  }
  void Poison(Rng& rng, GeneratedRow& row) const override {
    Probe(kNear, rng, row);
  }
  void Probe(std::int64_t reach, Rng& rng, GeneratedRow& row) const override {
    row.cells.resize(low_.size());
    for (std::size_t i = 0; i < low_.size(); ++i) {
      row.cells[i] = std::min(low_[i] + Below(rng, side_ + 1), kCubeLast);
    }
    const auto axis = static_cast<std::size_t>(
        Below(rng, static_cast<std::int64_t>(low_.size())));
    const bool upper = (rng.Next() & 1) != 0;
    row.cells[axis] = DrawNear(low_[axis] + (upper ? side_ : 0), reach, rng);
    row.y = !Contains(row);
  }
  void Flood(Rng& rng, GeneratedRow& row) const override {
    row.cells.resize(low_.size());
    FillCorner(rng, row.cells);
    row.y = !Contains(row);
  }

 private:
  bool Contains(const GeneratedRow& row) const {
    for (std::size_t i = 0; i < bounds_.size(); ++i) {
      const double value = CubeValue(row.cells[i]);
      if (value < bounds_[i].first || value > bounds_[i].second) return false;
    }
    return true;
  }

  std::vector<std::int64_t> low_;
  std::int64_t side_;
  std::vector<std::pair<double, double>> bounds_;
};

double Power(double base, std::uint32_t exponent) {
  double power = 1;
  for (std::uint32_t i = 0; i < exponent; ++i) power *= base;
  return power;
}

// The greatest side whose cube has at most half the volume, by products alone:
// a library's pow may differ in the last bit from machine to machine.
std::int64_t HalfVolumeSide(std::uint32_t features) {
  std::int64_t low = 0;
  std::int64_t high = kCubeOne;
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    (Power(CubeValue(middle), features) <= 0.5 ? low : high) = middle;
  }
  return low;
}

}  // namespace

std::unique_ptr<GeneratedTarget> DrawThreshold(Rng& rng) {
  return std::make_unique<StumpTarget>(1, 0, DrawBoundary(rng), false);
}

std::unique_ptr<GeneratedTarget> DrawStump(std::uint32_t features, Rng& rng) {
  const auto axis = static_cast<std::uint32_t>(Below(rng, features));
  const std::int64_t boundary = DrawBoundary(rng);
  return std::make_unique<StumpTarget>(features, axis, boundary,
                                       (rng.Next() & 1) != 0);
}

std::unique_ptr<GeneratedTarget> DrawRectangle(std::uint32_t features,
                                               Rng& rng) {
  const std::int64_t side = HalfVolumeSide(features);
  std::vector<std::int64_t> low(features);
  for (std::int64_t& cell : low) cell = Below(rng, kCubeOne - side + 1);
  return std::make_unique<RectangleTarget>(std::move(low), side);
}

}  // namespace sotto
