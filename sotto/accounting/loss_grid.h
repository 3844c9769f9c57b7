#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sotto/base/result.h"

namespace sotto {

// A privacy-loss distribution on a lattice: atom i has loss (first + i +
// offset) * spacing and probability mass[i] under P. The remaining mass is at
// +infinity: `infinity` belongs to the mechanism, `truncated` was moved there
// to keep the lattice finite.
//
// The mechanism's own pair is dominated by the pair these numbers describe once
// every mass is multiplied by 1 / (1 - relative_error) and every loss raised by
// `slack`. Callers must apply both.
struct LossGrid {
  double spacing = 0;
  double offset = 0;
  std::int64_t first = 0;
  std::vector<double> mass;
  double infinity = 0;
  double truncated = 0;
  double relative_error = 0;
  double slack = 0;

  std::int64_t last() const {
    return first + static_cast<std::int64_t>(mass.size()) - 1;
  }
};

// Log of the moment sum_i mass[i] * exp(tilt * loss_i), and mean and variance
// of the loss under the distribution tilted by it.
struct TiltedMoments {
  double log_moment = 0;
  double mean = 0;
  double variance = 0;
};
TiltedMoments ComputeMoments(const LossGrid& grid, double tilt);

// A bound on the absolute error of `log_moment` above.
double LogMomentError(const LossGrid& grid, double tilt);

// Fills a lattice by connecting the dots: mass between two lattice points is
// split over both, which keeps its mass under P and under Q.
//
//   auto builder = GridBuilder::Create(0.01, -1.5, 1.5);
//   builder->AddAtom(1.234, 0.5);
//   LossGrid grid = std::move(*builder).Build();
//
// Guarantee: the result dominates what was added (Blackwell), up to
//            relative_error.
// Proof:     privacy_loss.md, steps 2 and 3.
class GridBuilder {
 public:
  // Room for losses in [lowest, highest]. Fails with kInvalidArgument for a
  // spacing outside (0, 300], kNotConverged where that needs more than 2^24
  // points.
  static Result<GridBuilder> Create(double spacing, double lowest,
                                    double highest);

  void AddAtom(double loss, double mass);
  // Adds to the lattice points `index` and `index + 1` the integrals
  //   above = integral of (1 - e^(l0 - l)) dP,  below = of (e^(l1 - l) - 1) dP
  // of a piece of the distribution between them.
  void AddSegment(std::int64_t index, double above, double below);
  void AddPoint(std::int64_t index, double mass);

  std::int64_t first() const { return grid_.first; }
  std::int64_t last() const { return grid_.last(); }
  // The lattice, empty ends cut off.
  LossGrid Build() &&;

 private:
  explicit GridBuilder(LossGrid grid);

  LossGrid grid_;
  double one_minus_exp_;  // 1 - e^(-spacing)
};

}  // namespace sotto
