#pragma once

#include <cstdint>

#include "sotto/accounting/guarantee.h"
#include "sotto/base/rational.h"
#include "sotto/base/result.h"

namespace sotto {

// The noise PrivateWinnow needs for a guarantee, from public numbers alone.
//
//   auto noise = CalibrateWinnowNoise({.epsilon = 1, .delta = 1e-6,
//                                      .coordinates = 100, .max_norm = 10,
//                                      .resolution = 1.0 / 64});
//   if (!noise) return noise.error();
//   Use(noise->sigma, noise->stopper_epsilon);     // 84.5, 0.537
//
// Guarantee: as WinnowNoise says, rounded against us.
// Proof:     private_winnow.md, steps 3 to 7.
// Threads:   pure functions.
struct WinnowPrivacy {
  double epsilon = 0;
  double delta = 0;
  Relation relation = Relation::kReplace;  // or kAddRemove
  std::uint32_t coordinates = 0;
  double max_norm = 0;    // R: no example is longer, in the Euclidean norm
  double resolution = 0;  // examples are rounded to multiples of at most this
  // Above 0: only coordinates of the batch's examples are released, and of
  // those only what is above a threshold; no example has more non-zeros.
  std::uint32_t nonzeros = 0;
};

struct WinnowNoise {
  int scale_bits = 0;              // one unit is 2^-scale_bits
  std::uint64_t norm_squared = 0;  // the square of R, in units squared
  Rational variance;           // of the noise of a coordinate, units squared
  double stopper_epsilon = 0;  // e_s
  double sigma = 0;            // of the noise, no longer in units
  std::int64_t threshold = 0;  // in units; 0: everything is released
  double delta = 0;            // spent, the samplers' slack included
};

// Fails with kInvalidArgument unless epsilon is in [2^-10, 16], delta in
// [1e-12, 1/2], coordinates in [1, 2^24], max_norm in [2^-10, 2^12] and
// resolution in [2^-16, 1]; with kNotConverged where no noise in 60 bits does.
Result<WinnowNoise> CalibrateWinnowNoise(const WinnowPrivacy& privacy);

// The least delta proved for one batch of a Stopper(stopper_epsilon) and a
// normal variable of deviation `sigma` per unit of the length of an example:
// the larger of both cases of private_winnow.md, step 4. Rounded up.
Result<double> WinnowDelta(double epsilon, double sigma, double stopper_epsilon,
                           Relation relation);

}  // namespace sotto
