#pragma once

#include <variant>
#include <vector>

#include "sotto/testing/distributions/discrete_laplace.h"
#include "sotto/testing/game_distribution.h"

namespace sotto {

// Every move releases a count plus fresh discrete Laplace noise; the count is 0
// in one world and at most `sensitivity` in the other, by choice of the
// adversary.
//
// The released value is clamped to [0, sensitivity]. This loses nothing: beyond
// either end the likelihood ratio is constant.
//
//   NoisyReleaseDistribution<double> release{.theta = 0.9, .sensitivity = 1};
//   ExactGame game(release, 8);
template <typename N>
struct NoisyReleaseDistribution {
  using Number = N;
  using State = std::monostate;
  using Context = std::monostate;
  using Observation = int;
  struct Move {
    int p;  // The count in world P.
    int q;
  };

  Number theta;
  int sensitivity = 1;

  Context Start() const { return {}; }
  std::vector<Weighted<Number, State>> Initial(World) const {
    return {{Number(1), {}}};
  }
  std::vector<Move> Moves(const Context&) const {
    std::vector<Move> moves;
    for (int v = 1; v <= sensitivity; ++v) {
      moves.push_back({0, v});
      moves.push_back({v, 0});
    }
    return moves;
  }
  std::vector<Outcome<Number, Observation, State>> Step(
      World world, const Context&, const State&, const Move& move) const {
    const DiscreteLaplaceDistribution<Number> noise(theta);
    const int count = world == World::kP ? move.p : move.q;
    std::vector<Outcome<Number, Observation, State>> outcomes;
    for (int n = 0; n <= sensitivity; ++n) {
      outcomes.push_back({noise.ClampedMass(count, n, 0, sensitivity), n, {}});
    }
    return outcomes;
  }
  Context Next(const Context&, const Move&, const Observation&) const {
    return {};
  }
};

}  // namespace sotto
