#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace sotto {

// Points over a whole life, at most `most`: when there are more, every second
// one is dropped, and points come half as often. A point has a `time`, in
// seconds, which does not decrease.
//
// Threads: a value type.
template <typename Point>
class ThinnedSeries {
 public:
  explicit ThinnedSeries(std::size_t most) : most_(most) {}

  // Returns true if the point was kept: enough time has passed since the last.
  bool Add(Point point) {
    if (!points_.empty() && point.time < points_.back().time + step_) {
      return false;
    }
    points_.push_back(std::move(point));
    if (points_.size() <= most_) return true;
    std::vector<Point> kept;
    for (std::size_t i = 0; i < points_.size(); i += 2) {
      kept.push_back(std::move(points_[i]));
    }
    points_ = std::move(kept);
    step_ *= 2;
    return true;
  }
  void Clear() {
    points_.clear();
    step_ = 1;
  }
  // Continues another series.
  void Restore(double step, std::vector<Point> points) {
    points_ = std::move(points);
    step_ = step;
  }

  const std::vector<Point>& points() const { return points_; }
  double step() const { return step_; }

 private:
  std::size_t most_;
  double step_ = 1;  // seconds between points
  std::vector<Point> points_{};
};

}  // namespace sotto
