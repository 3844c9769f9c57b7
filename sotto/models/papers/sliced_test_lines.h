#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "sotto/mechanisms/selection/selection_params.h"
#include "sotto/mechanisms/thresholds/sparse_vector_calibration.h"
#include "sotto/models/papers/outermost_points.h"
#include "sotto/models/papers/sliced_cost.h"
#include "sotto/random/fixed_work_geometric.h"
#include "sotto/random/fixed_work_laplace.h"
#include "sotto/random/rng.h"
#include "sotto/testing/seeded_rng.h"

namespace sotto::testing {

// Uniform in [0, 1).
inline double Unit(SeededRng& rng) {
  return std::ldexp(static_cast<double>(rng.Next() >> 11), -53);
}

// Algorithm 5 of [PERP], line by line, with the samplers' noise.
class RectanglesLines {
 public:
  RectanglesLines(const BoundaryPhases& phases, std::vector<SlicedPoint> s,
                  Rng& rng)
      : phases_(phases), d_(phases.target.sides / 2), rng_(rng) {
    left_.resize(d_);
    right_.resize(d_);
    RunRsc(std::move(s));
  }

  // {label, medium} of a query; nullptr: no query.
  std::pair<int, bool> Time(const SlicedPoint* x) {
    ++i_;
    for (std::size_t j = 0; j < d_; ++j) {  // (a), (b)
      StoppingQuery(left_[j]);
      StoppingQuery(right_[j]);
    }
    std::pair<int, bool> y = {0, false};  // (d)
    if (x != nullptr) y = Query(*x);
    if (i_ == phases_.phases[p_].length && p_ + 1 < phases_.phases.size()) {
      ++p_;  // (j)
      i_ = 0;
      RunRsc(std::move(d_set_));
      d_set_.clear();
    }
    return y;
  }

 private:
  struct Copy {
    std::vector<double> points;
    std::vector<double> own;  // D_j^left or D_j^right
    std::int64_t mediums = 0;
  };

  const SideNoise& numbers() const { return phases_.phases[p_].initial; }
  void StoppingQuery(Copy& copy) {
    if (copy.mediums + stopper_->Sample(rng_) < numbers().limit) return;
    copy.points = copy.own;
    copy.own.clear();
    copy.mediums = 0;
  }
  // "low", "medium" or "high" for the number of points beyond x[j].
  char Ask(Copy& copy, double x, bool bigger) {
    std::int64_t count = 0;
    for (const double point : copy.points) {
      count += (bigger ? point > x : point < x) ? 1 : 0;
    }
    const std::int64_t delta = numbers().low + 1;
    count += tests_->Sample(rng_);
    if (count < delta) return 'l';
    if (count > 2 * delta) return 'h';
    copy.own.push_back(x);
    ++copy.mediums;
    return 'm';
  }
  std::pair<int, bool> Query(const SlicedPoint& x) {
    for (std::size_t j = 0; j < d_; ++j) {  // (f)
      char a = Ask(left_[j], x[j], true);
      if (a == 'l') a = Ask(right_[j], x[j], false);
      if (a == 'm') return {0, true};   // to (i)
      if (a == 'h') return {0, false};  // (h): (x, 0) is never used
    }
    d_set_.push_back(x);  // (g), (h)
    return {1, false};
  }
  void RunRsc(std::vector<SlicedPoint> s) {
    tests_ = *FixedWorkLaplace::Create(ExactRate(numbers().rate));
    stopper_ = *FixedWorkLaplace::Create(ExactRate(numbers().stopper));
    for (std::size_t j = 0; j < d_; ++j) {  // step 3
      std::sort(s.begin(), s.end());
      std::stable_sort(s.begin(), s.end(), [&](const auto& a, const auto& b) {
        return a[j] > b[j];
      });
      right_[j] = {Slice(s, j), {}, 0};
      std::sort(s.begin(), s.end());
      std::stable_sort(s.begin(), s.end(), [&](const auto& a, const auto& b) {
        return a[j] < b[j];
      });
      left_[j] = {Slice(s, j), {}, 0};
    }
  }
  std::vector<double> Slice(std::vector<SlicedPoint>& s, std::size_t j) {
    const auto rate = RationalBelow(SliceSizeRate(phases_, p_));
    const std::int64_t m =
        numbers().size + FixedWorkGeometric::Create(*rate)->Sample(rng_);
    std::vector<double> slice;
    const auto taken = std::min(static_cast<std::size_t>(m), s.size());
    for (std::size_t i = 0; i < taken; ++i) slice.push_back(s[i][j]);
    s.erase(s.begin(), s.begin() + static_cast<std::ptrdiff_t>(taken));
    return slice;
  }

  const BoundaryPhases& phases_;
  std::size_t d_;
  Rng& rng_;
  std::size_t p_ = 0;
  std::uint64_t i_ = 0;
  std::optional<FixedWorkLaplace> tests_;
  std::optional<FixedWorkLaplace> stopper_;
  std::vector<Copy> left_;
  std::vector<Copy> right_;
  std::vector<SlicedPoint> d_set_;  // the positive points of D
};

}  // namespace sotto::testing
