#pragma once

#include <variant>
#include <vector>

#include "sotto/testing/distributions/discrete_laplace.h"
#include "sotto/testing/game_distribution.h"

namespace sotto {

// BetweenThresholds with fresh discrete Laplace noise: thresholds 0 and
// gap + 1, `gap` integers between them. A noisy count in between is released as
// it is and charged; outside, only the side is seen. Halts after `reports`
// charges.
//
//   BetweenThresholdsDistribution<ExactNumber> distribution{
//       .theta = ExactNumber(4) / 5, .gap = 1};
//
// The queries are v and v + 1 with v in [0, gap], in either order: those
// farther out are mixtures of them with a constant answer and never better.
template <typename N>
struct BetweenThresholdsDistribution {
  using Number = N;
  using State = std::monostate;
  using Context = int;      // Reports left.
  using Observation = int;  // The noisy count, clamped to [0, gap + 1].
  struct Move {
    int p;  // The query in world P.
    int q;
  };

  Number theta;
  int gap = 1;
  int reports = 1;

  Context Start() const { return reports; }
  std::vector<Weighted<Number, State>> Initial(World) const {
    return {{Number(1), {}}};
  }
  std::vector<Move> Moves(const Context& left) const {
    std::vector<Move> moves;
    if (left == 0) return moves;
    for (int v = 0; v <= gap; ++v) {
      moves.push_back({v, v + 1});
      moves.push_back({v + 1, v});
    }
    return moves;
  }
  std::vector<Outcome<Number, Observation, State>> Step(
      World world, const Context&, const State&, const Move& move) const {
    const DiscreteLaplaceDistribution<Number> noise(theta);
    const int query = world == World::kP ? move.p : move.q;
    std::vector<Outcome<Number, Observation, State>> outcomes;
    for (int n = 0; n <= gap + 1; ++n) {
      outcomes.push_back({noise.ClampedMass(query, n, 0, gap + 1), n, {}});
    }
    return outcomes;
  }
  Context Next(const Context& left, const Move&, const Observation& n) const {
    return Charged(n) ? left - 1 : left;
  }
  bool Charged(int n) const { return n > 0 && n <= gap; }
};

}  // namespace sotto
