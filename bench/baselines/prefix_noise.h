#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sotto/mechanisms/counters/square_root_counter_filter.h"
#include "sotto/random/rng.h"

namespace sotto::bench {

// A normal deviate in doubles: for measurements only.
double Normal(Rng& rng);

// The noise on running sums of vectors under continual observation, by a binary
// tree over the steps: each step is in `levels` nodes, each node has fresh
// noise, and a sum is that of the nodes that make it up. A node's value is
// taken together with what its children say (Honaker 2015), weighted by
// precision.
//
//   TreeNoise noise(coordinates, steps);
//   noise.Next(rng);                     // one more step is summed
//   sum[j] + sigma * D * noise.reach() * noise.values()[j]
//
// makes every sum private as one Gaussian release is, if one row is in one step
// and moves its vector by D at most.
//
// Paper:   Kairouz et al. 2021, DP-FTRL, with the tree completed by a stated
//          number of steps.
// Threads: not thread-safe.
class TreeNoise {
 public:
  TreeNoise(std::size_t coordinates, std::uint64_t steps);

  void Next(Rng& rng);
  std::span<const double> values() const { return values_; }
  // By how much one step reaches into all nodes, in the 2-norm.
  double reach() const { return reach_; }

 private:
  struct Node {
    int level;
    std::vector<double> noise;
  };
  void Merge(Rng& rng);

  std::vector<Node> nodes_;        // that make up the sum, the largest first
  std::vector<double> variances_;  // of a node's estimate, by level
  std::vector<double> values_;
  double reach_;
};

// The same with the square-root factorisation: less noise, where all steps are
// of one kind.
class SquareRootNoise {
 public:
  SquareRootNoise(std::size_t coordinates, std::uint64_t steps);

  void Next(Rng& rng);
  std::span<const double> values() const { return values_; }
  double reach() const { return reach_; }

 private:
  struct Buffer {
    double keep;
    double weight;
  };

  std::vector<Buffer> buffers_;
  std::vector<double> states_;  // by coordinate and buffer
  std::vector<double> values_;
  double reach_;
};

}  // namespace sotto::bench
