#pragma once

#include <cstdint>
#include <vector>

#include "sotto/base/bytes.h"

namespace sotto {

// A point as RectanglesPERP sees it: the coordinates it looks at.
using SlicedPoint = std::vector<double>;

// One of the 2d orders in which slices are cut, and in which a side looks at
// points: outside is where At is small.
struct SliceOrder {
  std::uint32_t axis = 0;
  bool mirrored = false;  // Right_j

  double At(const SlicedPoint& x) const {
    return mirrored ? -x[axis] : x[axis];
  }
  bool operator()(const SlicedPoint& a, const SlicedPoint& b) const {
    return At(a) < At(b);
  }
};

// The orders in which slices are cut: Right_1, Left_1, Right_2, ...
std::vector<SliceOrder> SliceOrders(std::uint32_t dimensions);

// Those of the added points that slices of at most `slice` elements, cut one
// after the other in all orders, can reach: the slice number q is among the
// (q + 1) * slice first by its order. What is left out is in no slice, so
// cutting gives the same slices as from all points.
//
//   OutermostPoints points(2, 1000);
//   points.Add(x);
//   std::vector<SlicedPoint> reachable = std::move(points).Take();
//
// Points that are equal are alike. Memory: O(d^2 slice) points.
// Threads: not thread-safe.
class OutermostPoints {
 public:
  OutermostPoints(std::uint32_t dimensions, std::uint64_t slice);

  // Requires `dimensions` numbers.
  void Add(SlicedPoint x) {
    points_.push_back(std::move(x));
    if (points_.size() >= room_) Prune();
  }
  std::vector<SlicedPoint> Take() &&;
  std::size_t kept() const { return points_.size(); }  // secret

  // The state holds the numbers. Load returns false on bytes that no Save of
  // the same sizes wrote.
  void Save(ByteWriter& writer) const;
  bool Load(ByteReader& reader);

 private:
  void Prune();

  std::uint32_t dimensions_;
  std::uint64_t slice_;
  std::uint64_t room_;  // prune at this many
  std::vector<SlicedPoint> points_;
};

}  // namespace sotto
