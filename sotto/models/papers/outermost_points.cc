#include "sotto/models/papers/outermost_points.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace sotto {
namespace {

constexpr std::uint64_t kMostRoom = std::uint64_t{1} << 48;

}  // namespace

std::vector<SliceOrder> SliceOrders(std::uint32_t dimensions) {
  std::vector<SliceOrder> orders;
  for (std::uint32_t j = 0; j < dimensions; ++j) {
    orders.push_back({j, true});
    orders.push_back({j, false});
  }
  return orders;
}

// Room for as many new points as are kept: a prune is paid by them.
OutermostPoints::OutermostPoints(std::uint32_t dimensions, std::uint64_t slice)
    : dimensions_(dimensions), slice_(std::min(slice, kMostRoom)) {
  const std::uint64_t slices = 2 * std::uint64_t{dimensions};
  const std::uint64_t kept = slice_ * (slices * (slices + 1) / 2);
  room_ = 2 * std::min(kept, kMostRoom) + 1024;
}

// Ties as in ReorderSliceCompute.
void OutermostPoints::Prune() {
  std::vector<const SlicedPoint*> order;
  order.reserve(points_.size());
  for (const SlicedPoint& x : points_) order.push_back(&x);
  std::vector<bool> reached(points_.size());
  std::uint64_t first = 0;
  for (const SliceOrder& by : SliceOrders(dimensions_)) {
    first += slice_;
    const auto end =
        static_cast<std::size_t>(std::min<std::uint64_t>(first, order.size()));
    const auto before = [&](const SlicedPoint* a, const SlicedPoint* b) {
      if (by(*a, *b)) return true;
      return !by(*b, *a) && *a < *b;
    };
    std::nth_element(order.begin(),
                     order.begin() + static_cast<std::ptrdiff_t>(end),
                     order.end(), before);
    for (std::size_t i = 0; i < end; ++i) {
      reached[static_cast<std::size_t>(order[i] - points_.data())] = true;
    }
  }
  std::size_t kept = 0;
  for (std::size_t i = 0; i < points_.size(); ++i) {
    if (!reached[i]) continue;
    if (kept != i) points_[kept] = std::move(points_[i]);
    ++kept;
  }
  points_.resize(kept);
}

std::vector<SlicedPoint> OutermostPoints::Take() && {
  return std::exchange(points_, {});
}

void OutermostPoints::Save(ByteWriter& writer) const {
  writer.Number(static_cast<std::uint64_t>(points_.size()));
  for (const SlicedPoint& x : points_) {
    for (const double value : x) writer.Real(value);
  }
}

bool OutermostPoints::Load(ByteReader& reader) {
  const auto count = reader.Number<std::uint64_t>();
  if (count > reader.RoomFor(sizeof(double) * dimensions_) || count >= room_) {
    return false;
  }
  points_.assign(count, SlicedPoint(dimensions_));
  for (SlicedPoint& x : points_) {
    for (double& value : x) {
      value = reader.Real();
      if (value != value) return false;
    }
  }
  return !reader.failed();
}

}  // namespace sotto
