#pragma once

#include <cstdint>
#include <vector>

#include "sotto/base/result.h"

namespace sotto {

// The shape of a tree counter and the error it is proved to have.
//
// Level 0 holds the steps themselves; a node of level l + 1 covers radices[l]
// nodes of level l. Every level has discrete Laplace noise of rate e0 =
// epsilon / levels. When a node closes, its estimate is its own noisy sum and
// the sum of its children's estimates in the proportion 1 - w : w,
// w = child_weights[l] / 2^kWeightBits.
//
//   auto shape = TreeShape::Best({.epsilon = 1, .horizon = 1'000'000});
//   double error = shape->ErrorBound(0.05);       // 290 for all t together
//
// Proof:   tree_counter.md, steps 3 to 6.
// Threads: a value type.
struct TreeShape {
  static constexpr int kWeightBits = 16;
  static constexpr std::uint64_t kMaxHorizon = std::uint64_t{1} << 40;

  struct Target {
    double epsilon = 0;
    std::uint64_t horizon = 0;
    double failure = 0.05;  // beta
    // One more level, a single node over everything, and the horizon raised to
    // what the tree can hold: for counters whose total is used on its own.
    bool with_total = false;
    // The numbers of children, the leaves' first; empty for the best. 2 at
    // every level is the binary mechanism.
    std::vector<std::uint64_t> radices = {};
  };

  // The shape with the least ErrorBound, or the one asked for. Fails with
  // kInvalidArgument unless epsilon is in [2^-20, 16], horizon in
  // [1, kMaxHorizon], failure in [1e-10, 1), and 1 to 40 radices in [2, 2^13]
  // reach the horizon.
  static Result<TreeShape> Best(const Target& target);

  std::size_t levels() const { return radices.size(); }
  // Steps under one node of each level, and the noises drawn in `steps` steps.
  std::vector<std::uint64_t> NodeSizes() const;
  std::uint64_t Draws(std::uint64_t steps) const;

  // x such that with probability at least 1 - failure the error is at most x at
  // all steps 1, ..., horizon.
  double ErrorBound(double failure) const;

  // For combining counters, with tilt in (0, MaxTilt()): ln E exp(tilt * error)
  // after the last step, and a bound on ln of the expected sum of
  // exp(tilt * error) over the steps that matter (tree_counter.md, step 5).
  double LogMomentAtEnd(double tilt) const;
  double LogMomentSum(double tilt) const;
  double MaxTilt() const { return rate; }

  std::vector<std::uint64_t> radices;
  std::vector<std::uint32_t> child_weights;  // [0] is 0: leaves are leaves
  double rate = 0;                           // e0, at most epsilon / levels
  std::uint64_t horizon = 0;

 private:
  static TreeShape Make(std::vector<std::uint64_t> radices,
                        const Target& target);
  std::vector<double> LevelLogMoments(double tilt) const;
};

// The least over tilts of (ln(2 / failure) + log_sum(tilt)) / tilt: the error
// that Markov's inequality proves (tree_counter.md, step 5). Any tilt tried is
// valid, so the search need not be exact.
template <typename LogSum>
double LeastError(double max_tilt, double log_two_over_failure,
                  const LogSum& log_sum) {
  constexpr int kSteps = 24;
  auto error = [&](double tilt) {
    return (log_two_over_failure + log_sum(tilt)) / tilt;
  };
  // Golden section: a convex function over a linear one has one valley.
  constexpr double kGolden = 0.6180339887498949;
  double low = max_tilt * 1e-3;
  double high = max_tilt * 0.999;
  double left = high - kGolden * (high - low);
  double right = low + kGolden * (high - low);
  double at_left = error(left);
  double at_right = error(right);
  for (int i = 0; i < kSteps; ++i) {
    if (at_left < at_right) {
      high = right;
      right = left;
      at_right = at_left;
      left = high - kGolden * (high - low);
      at_left = error(left);
    } else {
      low = left;
      left = right;
      at_left = at_right;
      right = low + kGolden * (high - low);
      at_right = error(right);
    }
  }
  return at_left < at_right ? at_left : at_right;
}

}  // namespace sotto
